import { parseJsonObject } from '../../kernel/is-json-object.ts'
import { takeBytes } from '../dump/archive/bytes.ts'
import { FetchError } from './fetch-error.ts'
import { request } from './request.ts'

/** Where the newest dump of a source is, and what is published of it beside. */
export type PublishedDump = { url: string; name?: string; sha256?: string; bytes?: number }

/** A file that names a dump is no larger. */
const MAX_INDEX_BYTES = 1_000_000

/**
 * The dump an address leads to: itself, or, if it ends with `.json`, the one that the file there names as GitHub
 * describes a file of a release.
 *
 * @throws {FetchError} when there is no such file, or it names none
 */
export async function findNewest(address: string, stallMs: number): Promise<PublishedDump> {
  if (!new URL(address).pathname.endsWith('.json')) return { url: address }
  const response = await request(address, { accept: 'application/json' }, stallMs)
  if (!response.ok) {
    await response.body?.cancel()
    throw new FetchError(`${address} answers ${response.status}.`, {
      isPassing: response.status >= 500,
    })
  }
  const index = parseJsonObject(await readText(response))
  if (typeof index?.['browser_download_url'] !== 'string')
    throw new FetchError(`${address} names no dump: it has no browser_download_url.`)
  const { browser_download_url: url, name, digest, size } = index
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new FetchError(`${address} names ${url}, which is no address of a dump.`)
  const [, sha256] = /^sha256:([\da-f]{64})$/i.exec(typeof digest === 'string' ? digest : '') ?? []
  return {
    url,
    ...(typeof name === 'string' && { name }),
    ...(sha256 !== undefined && { sha256: sha256.toLowerCase() }),
    ...(typeof size === 'number' && { bytes: size }),
  }
}

/** The checksum that is published in a file beside the dump, `FILE.sha256`; undefined when there is none. */
export async function findChecksum(url: string, stallMs: number): Promise<string | undefined> {
  const beside = new URL(url)
  beside.pathname += '.sha256'
  const response = await request(beside.href, {}, stallMs)
  if (response.ok)
    return /^[\da-f]{64}\b/i.exec((await readText(response)).trim())?.[0].toLowerCase()
  await response.body?.cancel()
  return undefined
}

const readText = async (response: Response) =>
  Buffer.from(await takeBytes(response.body ?? [], MAX_INDEX_BYTES)).toString('utf8')
