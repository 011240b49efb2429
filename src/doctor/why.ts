import { errorCode } from '../kernel/error-code.ts'
import { isUnavailable } from '../kernel/is-unavailable.ts'
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
  ETIMEDOUT: 'silent',
  ABORT_ERR: 'silent',
  '28': 'login',
  '3D': 'no_database',
  '53': 'full',
  '57': 'starting',
}

/** Returns the reason for a failed connection, in the operator's terms. */
export function whyOf(error: unknown): WhyCode {
  if (error instanceof AggregateError && error.errors.length > 0) return whyOf(error.errors[0])
  const code = errorCode(error) ?? ''
  const known = REASONS[code] ?? REASONS[/^[0-9A-Z]{5}$/.test(code) ? code.slice(0, 2) : '']
  // pg reports a connection that was not established in time without a code.
  return known ?? (code === '' && isUnavailable(error) ? 'silent' : 'other')
}

/** Returns the message of an error, for the terminal. */
export const detailOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.errors.length > 0) return detailOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
