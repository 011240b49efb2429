import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { SOURCE_NAMES, SOURCES } from '../../sources/registry.ts'
import { PictureError } from './picture-errors.ts'
import { publicLookup, resolveBySystem, type Resolve } from './source-lookup.ts'

const SOURCE_HOSTS = new Set<string>(SOURCE_NAMES.flatMap((source) => SOURCES[source].pictureHosts))

/** Origins that pictures are fetched from: the sources', and those that the operator has named. */
export const pictureOrigins = (named: readonly string[]): string[] => [
  ...[...SOURCE_HOSTS].map((host) => `https://${host}`),
  ...named,
]

const PICTURE_TYPES = /^image\/(jpeg|png|webp|gif|avif)\s*(;|$)/i

type FetchLimits = {
  maxBytes: number
  /** For all of it, from the name to the last byte: a source that sends a byte a second gets no more than this. */
  milliseconds: number
}

const FETCH_LIMITS: FetchLimits = { maxBytes: 10 * 2 ** 20, milliseconds: 15_000 }
const MAX_REDIRECTS = 3

export type FetchOptions = {
  /** Origins the operator has named: these may be http, and on a private network. */
  origins: readonly string[]
  limits?: FetchLimits
  resolve?: Resolve
}

/**
 * Fetches a source's picture.
 *
 * @throws {PictureError} when its address is not one of a source, or it does not come whole, as a picture and in time
 */
export async function fetchPicture(
  address: string,
  { origins, limits = FETCH_LIMITS, resolve = resolveBySystem }: FetchOptions,
): Promise<Buffer> {
  const signal = AbortSignal.timeout(limits.milliseconds)
  const first = admit(address, origins)
  try {
    let url = first
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await ask(url, { isNamed: origins.includes(url.origin), resolve, signal })
      try {
        const next = redirectOf(response, url)
        if (!next) return await readBody(response, limits.maxBytes)
        if (next.origin !== first.origin)
          throw new PictureError(`${first.origin} redirects to another host`)
        url = admit(next.href, origins)
      } finally {
        response.destroy()
      }
    }
    throw new PictureError(`${first.origin} redirects without an end`)
  } catch (error) {
    if (error instanceof PictureError) throw error
    const reason = signal.aborted ? 'takes too long' : 'does not answer'
    throw new PictureError(`${first.origin} ${reason}`, { isTransient: true, cause: error })
  }
}

function admit(address: string, origins: readonly string[]): URL {
  const url = URL.parse(address)
  const isOfSource = url?.protocol === 'https:' && url.port === '' && SOURCE_HOSTS.has(url.hostname)
  if (
    !url ||
    url.username !== '' ||
    url.password !== '' ||
    !(isOfSource || origins.includes(url.origin))
  )
    throw new PictureError(`${url?.origin ?? 'The address'} is none of a source`)
  return url
}

function ask(
  url: URL,
  { isNamed, resolve, signal }: { isNamed: boolean; resolve: Resolve; signal: AbortSignal },
): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((answered, failed) => {
    const request = send(url, {
      // Each on a connection of its own: an open one would not ask for the address again.
      agent: false,
      signal,
      ...(!isNamed && { lookup: publicLookup(resolve) }),
      headers: {
        accept: 'image/avif,image/webp,image/png,image/jpeg,image/gif',
        'accept-encoding': 'identity',
        'user-agent': 'mokuroku',
      },
    })
    request.once('response', answered).once('error', failed).end()
  })
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode)) return undefined
  const next = URL.parse(headers.location ?? '', from)
  if (!next) throw new PictureError(`${from.origin} redirects to no address`)
  return next
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const { statusCode = 0, headers } = response
  if (statusCode !== 200)
    throw new PictureError(`The source answers ${statusCode}`, {
      isTransient: statusCode === 429 || statusCode >= 500,
    })
  if (!PICTURE_TYPES.test(headers['content-type'] ?? ''))
    throw new PictureError('The source sends no picture')
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new PictureError('The source compresses a picture')
  const tooLarge = () => new PictureError(`The picture is larger than ${maxBytes} bytes`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // as: a message that nothing decodes is bytes
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  if (!response.complete) throw new PictureError('The picture was cut off', { isTransient: true })
  return Buffer.concat(chunks)
}
