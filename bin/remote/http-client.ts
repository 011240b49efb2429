import { isMokurokuError, type RequestOptions } from '../../sdk/index.js'
import { fetchOutbound } from '../../src/outbound/fetch-outbound.ts'
import { ProxyError } from '../../src/outbound/proxy-error.ts'
import { printable } from '../../src/kernel/printable.ts'
import { Failure } from '../failure.ts'

/**
 * Maximum duration of a request, in milliseconds. Shorter than the timeout of the lock on the credentials,
 * which is held during a request.
 */
const TIMEOUT_MS = 10_000

/** Settings of the client package. Nothing is retried, because the user can repeat the command. */
export const REQUESTS: RequestOptions = { timeout: TIMEOUT_MS, retries: 0, fetch: fetchFromServer }

/** Sends a request. Does not follow redirects, because tokens must not go to a different server. */
async function fetchFromServer(
  target: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = target instanceof Request ? target.url : target
  const response = await fetchOutbound(url, { ...init, redirect: 'manual' })
  const location = response.headers.get('location')
  if (response.status >= 300 && response.status < 400 && location !== null)
    throw new Failure(
      `${String(url)} redirects to ${printable(location)}. Use the address of that server.`,
    )
  return response
}

/** Converts an error without a response into a failure. Returns any other error unchanged. */
export function toFailure(error: unknown, server: string): unknown {
  if (!isMokurokuError(error) || error.status !== undefined || error.cause === undefined)
    return error
  const { cause } = error
  if (cause instanceof Failure) return cause
  return new Failure(`No response from ${server}: ${reasonOf(cause)}`, { cause })
}

/** Returns the reason why `fetch` failed, which is in the cause of its error, or in the first of several errors. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  if (error instanceof ProxyError) return error.message
  if (error.name === 'TimeoutError') return `it took longer than ${TIMEOUT_MS / 1_000} seconds`
  if (error.cause !== undefined) return reasonOf(error.cause)
  // Network errors have a code. An error without a code means that `fetch` refused to send the request, for example to
  // a mail port.
  return 'code' in error ? error.message : `the request was not sent (${error.message})`
}
