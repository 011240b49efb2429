import { errorCode } from '../kernel/error-code.ts'
import { isUnavailable } from '../kernel/is-unavailable.ts'
import { ProxyError } from '../outbound/proxy-error.ts'
import type { WhyCode } from './finding.ts'

/** Reasons, keyed by error code or by the first two characters of an SQLSTATE. */
const REASONS: Record<string, WhyCode> = {
  ENOTFOUND: 'name',
  EAI_AGAIN: 'name',
  EAI_FAIL: 'name',
  EDNS: 'name',
  ECONNREFUSED: 'refused',
  ENOENT: 'refused',
  EHOSTUNREACH: 'no_route',
  ENETUNREACH: 'no_route',
  ECONNRESET: 'closed',
  ECONNECTION: 'closed',
  EPIPE: 'closed',
  UND_ERR_SOCKET: 'closed',
  ETIMEDOUT: 'silent',
  ABORT_ERR: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  '28': 'login',
  '3D': 'no_database',
  '53': 'full',
  '57': 'starting',
}

/** Node's error codes for failed TLS handshakes and invalid certificates. */
const TLS = /^(ERR_SSL|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/

export const isTlsFailure = (code: string) => TLS.test(code)

/** Returns the reason for a failed connection, in the operator's terms. */
export function whyOf(error: unknown): WhyCode {
  if (error instanceof AggregateError && error.errors.length > 0) return whyOf(error.errors[0])
  if (error instanceof ProxyError) return 'proxy'
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'silent'
  const code = errorCode(error) ?? ''
  if (isTlsFailure(code)) return 'tls'
  const known = REASONS[code] ?? REASONS[/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '']
  if (known !== undefined) return known
  // pg reports a connection that was not established in time without a code.
  if (code === '' && isUnavailable(error)) return 'silent'
  // `fetch` puts the reason into the cause.
  return error instanceof Error && error.cause !== undefined ? whyOf(error.cause) : 'other'
}

/** Returns the message of an error, for the terminal. */
export const detailOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return detailOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
