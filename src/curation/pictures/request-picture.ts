import { printableWithin } from '../../kernel/printable.ts'
import { isJsonObject } from '../../kernel/is-json-object.ts'
import { fetchOutbound } from '../../outbound/fetch-outbound.ts'
import { takeBytes } from '../../sources/dump/archive/bytes.ts'
import { FetchError } from '../../sources/fetch/fetch-error.ts'
import { toFetchError } from '../../sources/fetch/request.ts'
import type { MissingPicture } from '../../sources/bangumi/pictures/queries.ts'

/** Maximum size of a response, in bytes. Responses for people are a few kilobytes long. */
const MAX_BYTES = 1 << 20

const PICTURE =
  /^https:\/\/lain\.bgm\.tv\/(?:r\/\d+\/)?pic\/(cover|crt)\/l\/([\w./-]{1,200}(?:\?r=\d{1,12})?)$/
const PLACEHOLDER = /^https:\/\/lain\.bgm\.tv\/img\//

/** Result of a request. `refused` is a URL that leads to another host; it counts as no picture. */
export type PictureResult =
  | { path: string | null; refused?: string }
  /** Temporary failure. `seconds` is the delay that the server requests, if any. */
  | { retryReason: string; seconds: number | undefined }

export type PictureApiOptions = { apiUrl: string; userAgent: string; timeoutMs: number }

/**
 * Fetches the picture URL of a subject, person or character from Bangumi's API. Redirects are read but not followed.
 *
 * @throws {FetchError} if retrying cannot help
 */
export async function requestPicture(
  { kind, id }: MissingPicture,
  { apiUrl, userAgent, timeoutMs }: PictureApiOptions,
): Promise<PictureResult> {
  const path = kind === 'subject' ? `/v0/subjects/${id}/image?type=large` : `/v0/${kind}s/${id}`
  const url = `${apiUrl.replace(/\/+$/, '')}${path}`
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetchOutbound(url, {
      headers: { 'user-agent': userAgent, accept: 'application/json' },
      redirect: 'manual',
      signal,
    })
    return await toResult(url, kind, response).finally(() =>
      response.body?.cancel().catch(() => {}),
    )
  } catch (error) {
    if (error instanceof FetchError) throw error
    return { retryReason: toFetchError(url, error, signal.aborted).message, seconds: undefined }
  }
}

async function toResult(
  url: string,
  kind: MissingPicture['kind'],
  response: Response,
): Promise<PictureResult> {
  const { status } = response
  if (status === 429 || status >= 500)
    return {
      retryReason: `${url} returned status ${status}.`,
      seconds: retryAfterSeconds(response.headers.get('retry-after')),
    }
  if (status === 404 || status === 400 || status === 410) return { path: null }
  if (kind === 'subject' && status >= 300 && status < 400)
    return toPath('cover', response.headers.get('location'))
  if (kind === 'subject' || status !== 200)
    throw new FetchError(`${url} returned status ${status}, which is not a picture.`)
  const json = parseJson(await readBounded(url, response))
  if (json === undefined)
    return { retryReason: `${url} returned invalid JSON.`, seconds: undefined }
  const images = isJsonObject(json) ? json['images'] : undefined
  return toPath('crt', isJsonObject(images) ? images['large'] : undefined)
}

/** Parses a response. Returns `undefined` for invalid JSON, because the parser's error would quote the response. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function toPath(folder: 'cover' | 'crt', url: unknown): PictureResult {
  if (typeof url !== 'string' || url === '' || PLACEHOLDER.test(url)) return { path: null }
  const [, where, path] = PICTURE.exec(url) ?? []
  if (path === undefined || where !== folder || path.includes('..'))
    return { path: null, refused: printableWithin(300, url) }
  return { path }
}

async function readBounded(url: string, response: Response): Promise<string> {
  const bytes = await takeBytes(response.body ?? [], MAX_BYTES + 1)
  if (bytes.length > MAX_BYTES)
    throw new FetchError(`${url} returned more than ${MAX_BYTES} bytes.`)
  return Buffer.from(bytes).toString('utf8')
}

/** Parses `Retry-After`, which is a number of seconds or a date. */
function retryAfterSeconds(header: string | null): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,6}$/.test(header)) return Number(header)
  const time = Date.parse(header)
  return Number.isNaN(time) ? undefined : Math.max(0, (time - Date.now()) / 1000)
}
