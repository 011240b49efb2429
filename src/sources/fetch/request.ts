import { FetchError } from './fetch-error.ts'

/** What went wrong before there was an answer, by the code of the system. */
const CAUSES: Record<string, string> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name could not be looked up',
  ECONNREFUSED: 'nobody answers there',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_CONNECT_TIMEOUT: 'nobody answered in time',
  UND_ERR_HEADERS_TIMEOUT: 'it did not answer in time',
}

const UNKNOWN_NAME = new Set(['ENOTFOUND', 'ERR_INVALID_URL'])

/**
 * Asks for an address; redirects are followed.
 *
 * @param stallMs the time in which the headers of the answer have to come
 * @throws {FetchError} when there is no answer, or it came by a way that is less safe than the one that was asked for
 */
export async function request(
  url: string,
  headers: Record<string, string>,
  stallMs: number,
  stop = new AbortController(),
): Promise<Response> {
  const patience = setTimeout(() => stop.abort(new Error('no answer')), stallMs)
  try {
    // As it is: what is packed is the dump itself.
    const response = await fetch(url, {
      headers: { 'user-agent': 'mokuroku', 'accept-encoding': 'identity', ...headers },
      signal: stop.signal,
    })
    if (url.startsWith('https:') && !response.url.startsWith('https:')) {
      await response.body?.cancel()
      throw new FetchError(`${url} leads to ${response.url}, which is not encrypted.`)
    }
    return response
  } catch (error) {
    throw error instanceof FetchError ? error : explain(url, error, stop.signal.aborted)
  } finally {
    clearTimeout(patience)
  }
}

/** What broke off a request, or the body of its answer. */
export function explain(url: string, error: unknown, hasStalled: boolean): FetchError {
  const code = codeOf(error)
  const known = hasStalled ? 'nothing came for too long' : CAUSES[code]
  const reason = known === undefined ? innermost(error) : hasStalled ? known : `${known} (${code})`
  return new FetchError(`${url} could not be fetched: ${reason}.`, {
    isPassing: !UNKNOWN_NAME.has(code),
    cause: error,
  })
}

function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : innermost(error.cause)
}

/** Fetch wraps what happened, sometimes twice. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const { code } = error as NodeJS.ErrnoException // as: errors of the system have one
  return typeof code === 'string' ? code : codeOf(error.cause)
}
