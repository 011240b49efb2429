import { malformedToken, unauthenticated } from '../wire/errors/refusals.ts'

/** Caller identified by a verified access token (§5.1), or an anonymous one. */
export type Caller = {
  kind: 'application' | 'user' | 'anonymous'
  /** Empty for anonymous callers. */
  clientId: string
  /** Account id (`sub`) of a user-level token. */
  accountId: string | undefined
  scopes: ReadonlySet<string>
  /** Limit that the operator has set for this app. */
  requestsPerMinute: number | undefined
  /** True if another route of this service sends the request for the caller. */
  isDelegated?: boolean
}

/**
 * Returns the name under which rate limits count the caller's app. Anyone can publish any number of documents
 * that describe apps, so all such apps of a user share the limits of one app, except those for which the operator has set
 * a limit.
 */
export const countedAs = ({ clientId, accountId, requestsPerMinute }: Caller): string =>
  clientId.startsWith('https:') && requestsPerMinute === undefined
    ? `documents-${accountId ?? ''}`
    : clientId

/**
 * Verifies an access token.
 *
 * @returns the caller, without a promise if this token has been verified before
 * @throws {ApiError} `AUTH_TOKEN_INVALID` if the token is unknown, expired or revoked
 */
export type VerifyToken = (token: string) => Caller | Promise<Caller>

const MAX_TOKEN_LENGTH = 8_192
const B64TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

/**
 * Returns the token of an `Authorization: Bearer …` header (RFC 6750 §2.1). The scheme is case-insensitive.
 *
 * @throws {ApiError} `AUTH_UNAUTHENTICATED` if the header is missing or has a different scheme
 */
export function bearerToken(authorization: string | undefined): string {
  const token = /^ *bearer +([^ ].*)/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw unauthenticated()
  return token.trimEnd()
}

/**
 * Returns the token if its syntax is valid. Called for tokens that have not been verified before.
 *
 * @throws {ApiError} `AUTH_TOKEN_INVALID` otherwise
 */
export function wellFormed(token: string) {
  if (token.length > MAX_TOKEN_LENGTH || !B64TOKEN.test(token)) throw malformedToken()
  return token
}
