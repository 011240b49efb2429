import { malformedToken, unauthenticated } from '../wire/errors/refusals.ts'

/** Who calls, as a verified access token says (§5.1). */
export type Caller = {
  kind: 'application' | 'user'
  clientId: string
  /** Of a user-level token: the account's id, from `sub`. */
  accountId: string | undefined
  scopes: ReadonlySet<string>
  /** The operator's override of the throttle for this app, when there is one. */
  requestsPerMinute: number | undefined
}

/**
 * Verifies an access token.
 *
 * @returns at once when the verdict on this token is already known, else a promise
 * @throws {ApiError} `AUTH_TOKEN_INVALID` when it is not one of ours, is expired or has been withdrawn
 */
export type VerifyToken = (token: string) => Caller | Promise<Caller>

const MAX_LENGTH = 8_192
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * The token of an `Authorization: Bearer …` header (RFC 6750 §2.1); the scheme's case does not matter.
 *
 * @throws {ApiError} `AUTH_UNAUTHENTICATED` without one
 */
export function bearerToken(authorization: string | undefined): string {
  if (authorization?.startsWith('Bearer ')) return authorization.slice(7)
  const [scheme, token] = authorization?.trim().split(/ +/, 2) ?? []
  if (scheme?.toLowerCase() !== 'bearer' || !token) throw unauthenticated()
  return token
}

/** @throws {ApiError} `AUTH_TOKEN_INVALID` when this cannot be a token; asked of those not seen before */
export function wellFormed(token: string) {
  if (token.length > MAX_LENGTH || !B64TOKEN.test(token)) throw malformedToken()
  return token
}
