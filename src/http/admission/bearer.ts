import { ApiError } from '../wire/errors.ts'

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
  if (token.length > MAX_LENGTH || !B64TOKEN.test(token)) throw invalidToken('The access token is malformed.')
  return token
}

export const unauthenticated = (message = 'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.') =>
  new ApiError('AUTH_UNAUTHENTICATED', message, {
    headers: { 'www-authenticate': 'Bearer realm="mokuroku"' },
  })

export const invalidToken = (
  message = 'The access token is invalid, expired or revoked. Get a new one.',
  cause?: unknown,
) =>
  new ApiError('AUTH_TOKEN_INVALID', message, {
    headers: { 'www-authenticate': challenge('invalid_token', message) },
    cause,
  })

/** The token is good, its user is not welcome. */
export const banned = () => new ApiError('USER_BANNED', 'The account this token was issued for is banned.')

/** @param scope one that would have been enough */
export function insufficientScope(scope: string) {
  const message = `The access token lacks the scope ${scope}.`
  return new ApiError('AUTH_FORBIDDEN', message, {
    details: { required_scope: scope },
    headers: { 'www-authenticate': `${challenge('insufficient_scope', message)}, scope="${scope}"` },
  })
}

const challenge = (error: string, description: string) =>
  `Bearer realm="mokuroku", error="${error}", error_description="${description}"`
