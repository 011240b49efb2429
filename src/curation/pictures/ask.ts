import { printableWithin } from '../../kernel/printable.ts'
import { isJsonObject } from '../../kernel/is-json-object.ts'
import { takeBytes } from '../../sources/dump/archive/bytes.ts'
import { FetchError } from '../../sources/fetch/fetch-error.ts'
import { explain } from '../../sources/fetch/request.ts'
import type { WantedPicture } from '../../sources/bangumi/pictures/queries.ts'

/** The largest answer that is read; those of people are some kilobytes. */
const MAX_BYTES = 1 << 20

/** Where a picture lies, in whatever size it is named. */
const PICTURE =
  /^https:\/\/lain\.bgm\.tv\/(?:r\/\d+\/)?pic\/(cover|crt)\/l\/([\w./-]{1,200}(?:\?r=\d{1,12})?)$/
/** What stands for none. */
const PLACEHOLDER = /^https:\/\/lain\.bgm\.tv\/img\//

/** What became of a question. `refused` names an address that leads elsewhere, and counts as no picture. */
export type PictureAnswer =
  | { path: string | null; refused?: string }
  /** It is to be asked again; `seconds` where the server says when. */
  | { again: string; seconds: number | undefined }

export type AskOptions = { apiUrl: string; userAgent: string; timeoutMs: number }

/**
 * Asks Bangumi's API for the picture of a subject, person or character. Redirects are read and not followed.
 *
 * @throws {FetchError} when it will not answer however often it is asked
 */
export async function askForPicture(
  { kind, id }: WantedPicture,
  { apiUrl, userAgent, timeoutMs }: AskOptions,
): Promise<PictureAnswer> {
  const path = kind === 'subject' ? `/v0/subjects/${id}/image?type=large` : `/v0/${kind}s/${id}`
  const url = `${apiUrl.replace(/\/+$/, '')}${path}`
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': userAgent, accept: 'application/json' },
      redirect: 'manual',
      signal,
    })
    return await toAnswer(url, kind, response).finally(() =>
      response.body?.cancel().catch(() => {}),
    )
  } catch (error) {
    if (error instanceof FetchError) throw error
    return { again: explain(url, error, signal.aborted).message, seconds: undefined }
  }
}

async function toAnswer(
  url: string,
  kind: WantedPicture['kind'],
  response: Response,
): Promise<PictureAnswer> {
  const { status } = response
  if (status === 429 || status >= 500)
    return {
      again: `${url} answers ${status}.`,
      seconds: secondsIn(response.headers.get('retry-after')),
    }
  if (status === 404 || status === 400 || status === 410) return { path: null }
  if (kind === 'subject' && status >= 300 && status < 400)
    return toPath('cover', response.headers.get('location'))
  if (kind === 'subject' || status !== 200)
    throw new FetchError(`${url} answers ${status}, which is no picture.`)
  const json = parseJson(await readBounded(url, response))
  if (json === undefined)
    return { again: `${url} answers with what is no JSON.`, seconds: undefined }
  const images = isJsonObject(json) ? json['images'] : undefined
  return toPath('crt', isJsonObject(images) ? images['large'] : undefined)
}

/** @returns undefined for what is no JSON: the parser's message would quote it */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toPath(folder: 'cover' | 'crt', address: unknown): PictureAnswer {
  if (typeof address !== 'string' || address === '' || PLACEHOLDER.test(address))
    return { path: null }
  const [, where, path] = PICTURE.exec(address) ?? []
  if (path === undefined || where !== folder || path.includes('..'))
    return { path: null, refused: printableWithin(300, address) }
  return { path }
}

/** @throws {FetchError} if the response is too large */
async function readBounded(url: string, response: Response): Promise<string> {
  const bytes = await takeBytes(response.body ?? [], MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES) throw new FetchError(`${url} sends more than ${MAX_BYTES} bytes.`)
  return Buffer.from(bytes).toString('utf8')
}

/** `Retry-After` in seconds, or as a date. */
function secondsIn(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000)
}
