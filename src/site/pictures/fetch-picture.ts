import type { IncomingMessage } from 'node:http'
import { SOURCE_NAMES, SOURCES } from '../../sources/registry.ts'
import { isPicture } from '../../uploads/load-sharp.ts'
import { PictureError } from './picture-errors.ts'
import type { PictureMirrors } from './picture-mirrors.ts'
import { ProxyError } from '../../outbound/proxy-error.ts'
import { NotPublicError, type Resolve } from '../../outbound/public-lookup.ts'
import { requestOutbound } from '../../outbound/request-outbound.ts'

const SOURCE_HOSTS = new Set<string>(SOURCE_NAMES.flatMap((source) => SOURCES[source].pictureHosts))

/**
 * Returns the origins that pictures may be fetched from: those of the sources, and those the operator allows.
 */
export const allowedPictureOrigins = (named: readonly string[]): string[] => [
  ...[...SOURCE_HOSTS].map((host) => `https://${host}`),
  ...named,
]

const PICTURE_TYPES = /^image\/(jpeg|png|webp|gif|avif)\s*(;|$)/i

type FetchLimits = {
  maxBytes: number
  /**
   * Timeout in milliseconds for the whole fetch, including DNS. It also stops a source that sends a byte a second.
   */
  timeoutMs: number
}

const FETCH_LIMITS: FetchLimits = { maxBytes: 10 * 2 ** 20, timeoutMs: 15_000 }
const MAX_REDIRECTS = 3

export type FetchOptions = {
  /** Origins the operator allows: these may use http and be on a private network. */
  origins: readonly string[]
  mirrors?: PictureMirrors
  limits?: FetchLimits
  resolve?: Resolve
}

/**
 * Fetches a picture from the mirror of its source, or from the source itself.
 *
 * @throws {PictureError} if the URL is not allowed, or no response is a complete picture within the limits
 */
export async function fetchPicture(target: string, options: FetchOptions): Promise<Buffer> {
  const { origins, mirrors, limits = FETCH_LIMITS } = options
  const source = parseAllowedUrl(target, origins)
  const mirror = mirrors?.find(source)
  if (!mirror) return fetchFrom(source, options)
  try {
    // Leaves the source the rest of the time for which a request waits for its picture.
    const timeoutMs = limits.timeoutMs / 3
    const bytes = await fetchFrom(mirror, { ...options, limits: { ...limits, timeoutMs } }, true)
    mirrors?.succeeded(source)
    return bytes
  } catch (error) {
    if (!(error instanceof PictureError)) throw error
    if (error.isTransient) mirrors?.failed(source)
    return fetchFrom(source, options).catch((second: unknown) => {
      if (!(second instanceof PictureError)) throw second
      throw new PictureError(`${second.message} (mirror ${mirror.origin}: ${error.message})`, {
        isTransient: second.isTransient || error.isTransient,
        cause: second,
      })
    })
  }
}

async function fetchFrom(
  first: URL,
  { origins, limits = FETCH_LIMITS, resolve }: FetchOptions,
  isMirror = false,
): Promise<Buffer> {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  try {
    let url = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await requestOutbound(url, {
        chosenBy: isMirror || origins.includes(url.origin) ? 'operator' : 'source',
        resolve,
        signal,
        headers: {
          accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
          'accept-encoding': 'identity',
          'user-agent': 'mokuroku',
        },
      })
      try {
        const next = redirectOf(response, url)
        if (!next) return await readBody(response, limits.maxBytes)
        const isElsewhere = next.origin !== first.origin
        if (isElsewhere && !(isMirror && origins.includes(next.origin)))
          throw new PictureError(`${first.origin} redirects to another host`)
        url = isMirror && !isElsewhere ? next : parseAllowedUrl(next.href, origins)
      } finally {
        response.destroy()
      }
    }
    throw new PictureError(`${first.origin} redirects too often`)
  } catch (error) {
    if (error instanceof PictureError) throw error
    if (error instanceof NotPublicError) throw new PictureError(error.message)
    if (error instanceof ProxyError) throw new PictureError(error.message, error)
    const reason = signal.aborted ? 'takes too long' : 'does not respond'
    throw new PictureError(`${first.origin} ${reason}`, { isTransient: true, cause: error })
  }
}

function parseAllowedUrl(target: string, origins: readonly string[]): URL {
  const url = URL.parse(target)
  const isOfSource = url?.protocol === 'https:' && url.port === '' && SOURCE_HOSTS.has(url.hostname)
  if (
    !url ||
    url.username !== '' ||
    url.password !== '' ||
    !(isOfSource || origins.includes(url.origin))
  )
    throw new PictureError(`${url?.origin ?? 'The URL'} is not an allowed source of pictures`)
  return url
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined
  const next = URL.parse(headers.location ?? '', from)
  if (!next) throw new PictureError(`${from.origin} redirects to an invalid URL`)
  return next
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { statusCode = 0, headers } = response
  if (statusCode !== 200)
    throw new PictureError(`The source returned ${statusCode}`, {
      isTransient: statusCode === 429 || statusCode >= 500,
    })
  if (!PICTURE_TYPES.test(headers['content-type'] ?? ''))
    throw new PictureError('The source did not return a picture')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new PictureError('The source returned a compressed response')
  const tooLarge = () => new PictureError(`The picture is larger than ${maxBytes} bytes`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // as: a response without a decoder yields buffers
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (!response.complete) throw new PictureError('The picture was cut off', { isTransient: true })
  const picture = Buffer.concat(chunks)
  if (!isPicture(picture)) throw new PictureError('The source did not return a picture')
  return picture
}
