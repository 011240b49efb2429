import { causesOf } from '../../outbound/causes-of.ts'
import { UnreachableError } from './fetch-upstream.ts'

/**
 * Why a sign-in at a provider failed: the user refused, the provider did not respond in time, its response is not
 * valid, or the user did not sign in again.
 */
export type UpstreamFailure = 'denied' | 'unavailable' | 'rejected' | 'stale'

/** Failure of a sign-in at a provider. The message is for the log, and contains no token and no claim. */
export class UpstreamError extends Error {
  override name = 'UpstreamError'
  readonly failure: UpstreamFailure

  constructor(failure: UpstreamFailure, message: string) {
    super(message)
    this.failure = failure
  }
}

/** Errors of an authorization response that the provider may recover from (RFC 6749 §4.1.2.1). */
const TEMPORARY = new Set(['server_error', 'temporarily_unavailable'])

/** Converts an error of the library, of `fetch` or of the proxy. */
export function toUpstreamError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const chain = causesOf(error)
  const message = chain.map(describeError).join(': ')
  return new UpstreamError(failureOf(chain), message)
}

function failureOf(chain: NodeJS.ErrnoException[]): UpstreamFailure {
  const [first] = chain
  if (first?.name === 'AuthorizationResponseError') {
    const code = errorCodeOf(first)
    if (code === 'access_denied') return 'denied'
    return TEMPORARY.has(code) ? 'unavailable' : 'rejected'
  }
  const isUnavailable = chain.some(
    (error) =>
      error instanceof UnreachableError || error.code === 'OAUTH_TIMEOUT' || isServerError(error),
  )
  return isUnavailable ? 'unavailable' : 'rejected'
}

/** Whether the library reports a response with status 5xx or 429. */
function isServerError(error: Error): boolean {
  const status = 'status' in error ? error.status : statusOf(error.cause)
  return typeof status === 'number' && (status >= 500 || status === 429)
}

const statusOf = (cause: unknown) => (cause instanceof Response ? cause.status : undefined)

/** Names the error with the code of the protocol, which the provider chose, in printable ASCII. */
function describeError(error: NodeJS.ErrnoException): string {
  // The code of a DOMException is a number.
  const code = errorCodeOf(error) || (typeof error.code === 'string' ? error.code : undefined)
  const status = statusOf(error.cause)
  const details = [
    code?.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100),
    status !== undefined && `status ${status}`,
  ].filter(Boolean)
  return details.length === 0 ? error.message : `${error.message} (${details.join(', ')})`
}

const errorCodeOf = (error: Error): string =>
  'error' in error && typeof error.error === 'string' ? error.error : ''
