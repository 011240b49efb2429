import { fetchOutbound } from '../../outbound/fetch-outbound.ts'
import { ProxyError } from '../../outbound/proxy-error.ts'
import { FetchError } from './fetch-error.ts'

/** Explanations of system error codes, for requests that get no response. */
const CAUSES: Record<string, string> = {
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name could not be resolved',
  ECONNREFUSED: 'the server refuses connections',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_HEADERS_TIMEOUT: 'the response timed out',
}

const UNKNOWN_NAME = new Set(['ENOTFOUND', 'ERR_INVALID_URL'])

/**
 * Requests a URL and follows redirects.
 *
 * @param stallMs maximum time, in milliseconds, until the headers of the response arrive
 * @throws {FetchError} if there is no response, or if a redirect leads from HTTPS to HTTP
 */
export async function request(
  url: string,
  headers: Record<string, string>,
  stallMs: number,
  stop = new AbortController(),
): Promise<Response> {
  const timer = setTimeout(() => stop.abort(new Error('no answer')), stallMs)
  try {
    // No content encoding is accepted, because the dump itself is compressed.
    const response = await fetchOutbound(url, {
      headers: { 'user-agent': 'mokuroku', 'accept-encoding': 'identity', ...headers },
      signal: stop.signal,
    })
    if (url.startsWith('https:') && !response.url.startsWith('https:')) {
      await response.body?.cancel()
      throw new FetchError(`${url} redirects to ${response.url}, which is not encrypted.`)
    }
    return response
  } catch (error) {
    throw error instanceof FetchError ? error : toFetchError(url, error, stop.signal.aborted)
  } finally {
    clearTimeout(timer)
  }
}

/** Converts an error from a request or a response body to a `FetchError`. */
export function toFetchError(url: string, error: unknown, hasStalled: boolean): FetchError {
  if (error instanceof ProxyError)
    return new FetchError(`${url} could not be fetched: ${error.message}.`, error)
  const code = codeOf(error)
  const known = hasStalled ? 'no data arrived for too long' : CAUSES[code]
  const reason =
    known === undefined ? rootMessage(error) : hasStalled ? known : `${known} (${code})`
  return new FetchError(`${url} could not be fetched: ${reason}.`, {
    isTransient: !UNKNOWN_NAME.has(code),
    cause: error,
  })
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}

/** Returns the system error code. `fetch` wraps the original error, sometimes twice. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as NodeJS.ErrnoException // as: system errors have a code
  return typeof code === 'string' ? code : codeOf(error.cause)
}
