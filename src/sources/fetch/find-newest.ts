import { parseJsonObject } from '../../kernel/is-json-object.ts'
import { takeBytes } from '../dump/archive/bytes.ts'
import { FetchError } from './fetch-error.ts'
import { request } from './request.ts'

/** Location of the newest dump, and the facts published with it. */
export type PublishedDump = { url: string; name?: string; sha256?: string }

/** Maximum size, in bytes, of a file that names a dump. */
const MAX_INDEX_BYTES = 1_000_000

/**
 * Finds the newest dump at a URL. If the URL ends with `.json`, the dump is the file named there in the format of a
 * GitHub release asset; otherwise it is the URL itself.
 *
 * @throws {FetchError} if the file is missing or does not name a dump
 */
export async function findNewest(page: string, stallMs: number): Promise<PublishedDump> {
  if (!new URL(page).pathname.endsWith('.json')) return { url: page }
  const response = await request(page, { accept: 'application/json' }, stallMs)
  if (!response.ok) {
    await response.body?.cancel()
    throw new FetchError(`${page} returned status ${response.status}.`, {
      isTransient: response.status >= 500,
    })
  }
  const index = parseJsonObject(await readText(response))
  if (typeof index?.['browser_download_url'] !== 'string')
    throw new FetchError(`${page} does not name a dump: browser_download_url is missing.`)
  const { browser_download_url: url, name, digest } = index
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new FetchError(`${page} names ${url}, which is not a valid URL.`)
  const [, sha256] = /^sha256:([\da-f]{64})$/i.exec(typeof digest === 'string' ? digest : '') ?? []
  return {
    url,
    ...(typeof name === 'string' && { name }),
    ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
  }
}

/** Returns the checksum published next to a dump as `FILE.sha256`, if any. */
export async function findChecksum(url: string, stallMs: number): Promise<string | undefined> {
  const checksumUrl = new URL(url)
  checksumUrl.pathname += '.sha256'
  const response = await request(checksumUrl.href, {}, stallMs)
  if (response.ok)
    return /^[\da-f]{64}\b/i.exec((await readText(response)).trim())?.[0].toLowerCase()
  await response.body?.cancel()
  return undefined
}

const readText = async (response: Response) =>
  Buffer.from(await takeBytes(response.body ?? [], MAX_INDEX_BYTES)).toString('utf8')
