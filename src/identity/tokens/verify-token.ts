import {
  decodeProtectedHeader,
  errors,
  importJWK,
  jwtVerify,
  type CryptoKey,
  type JWTPayload,
  type ProtectedHeaderParameters,
} from 'jose'
import { LRUCache } from 'lru-cache'
import type { DatabaseClock } from '../../db/upkeep/database-clock.ts'
import { withImplied } from '../../apps/rules/scopes.ts'
import type { AppStatusCache } from '../../apps/app-status-cache.ts'
import type { ApiError, RefusalReason } from '../../http/wire/errors/errors.ts'
import { banned, invalidToken } from '../../http/wire/errors/refusals.ts'
import { wellFormed, type Caller, type VerifyToken } from '../../http/admission/bearer.ts'
import { listAudiences, type Audiences } from '../provider/resource.ts'
import { isKid, type SigningKey } from './keys.ts'
import type { RevocationList } from './revocation-list.ts'

/** Maximum number of cached verdicts, of about a kilobyte each. */
const MAX_CACHED = 10_000
/**
 * Maximum difference, in seconds, between the estimates that two processes have of the database's clock.
 */
const CLOCK_TOLERANCE_SECONDS = 5

/** Claims of an access token (RFC 9068). Application tokens have no grant (`gid`). */
export type AccessTokenClaims = {
  jti: string
  sub: string
  client_id: string
  scope: string
  aud: string
  iat: number
  exp: number
  gid?: string
  /** Number of earlier rotations of the app's secret; omitted if 0. */
  secret_generation?: number
}

type Verdict = { caller: Caller; claims: AccessTokenClaims }

export type TokenVerifierOptions = {
  issuer: string
  audiences: Audiences
  appStatuses: AppStatusCache
  revocations: RevocationList
  /** Reloads the keys, and passes them to `useKeys` if they have changed. Limits how often it reloads. */
  reloadKeys: () => Promise<void>
  clock: Pick<DatabaseClock, 'now'>
}

/**
 * Verifies access tokens (RFC 9068) with the keys in memory. A signature costs about 0.1 ms, so verdicts are cached by
 * token. Expiry, revocation, bans and the app's status are checked each time.
 */
export class TokenVerifier {
  readonly #options: TokenVerifierOptions
  readonly #verdicts = new LRUCache<string, Verdict>({ max: MAX_CACHED })
  #keys: ReadonlyMap<string, CryptoKey> = new Map()

  constructor(options: TokenVerifierOptions) {
    this.#options = options
  }

  /** Replaces the keys, and clears the cache, because a key may have been withdrawn. */
  async useKeys(keys: SigningKey[]) {
    const accessTokenKeys = keys.filter(({ alg }) => alg === 'ES256')
    const entries = accessTokenKeys.map(
      async ({ kid, alg, privateJwk: { d: _d, ...publicJwk } }) => {
        const key = await importJWK(publicJwk, alg)
        if (key instanceof Uint8Array) throw new Error(`Signing key ${kid} is not asymmetric`)
        return [kid, key] as const
      },
    )
    this.#keys = new Map(await Promise.all(entries))
    this.#verdicts.clear()
  }

  /** Verifies a token for the API. */
  verify: VerifyToken = (token) => this.#verifyFor(this.#options.audiences.api, token)

  /** Verifies a token for the tools for agents. */
  verifyMcp: VerifyToken = (token) => this.#verifyFor(this.#options.audiences.mcp, token)

  #verifyFor(audience: string | undefined, token: string): Caller | Promise<Caller> {
    const admit = (verdict: Verdict) => {
      if (verdict.claims.aud !== audience)
        throw about(invalidToken(), verdict.caller.clientId, 'token.audience')
      return this.#admit(verdict)
    }
    const verdict = this.#verdicts.get(token)
    return verdict ? admit(verdict) : this.#examine(token).then(admit)
  }

  /** Returns the claims of a valid token for any resource. @throws {ApiError} like `verify` */
  async claims(token: string): Promise<AccessTokenClaims> {
    const verdict = this.#verdicts.get(token) ?? (await this.#examine(token))
    const { scopes } = this.#admit(verdict)
    const granted = verdict.claims.scope.split(' ').filter((scope) => scopes.has(scope))
    return { ...verdict.claims, scope: granted.join(' ') }
  }

  #admit({ caller, claims }: Verdict): Caller {
    const { clientId } = caller
    const { revocations, appStatuses } = this.#options
    if (claims.exp * 1_000 <= this.#options.clock.now())
      throw about(invalidToken(), clientId, 'token.expired')
    if (caller.accountId !== undefined && revocations.isBanned(caller.accountId))
      throw about(banned(), clientId)
    if (revocations.isRevoked(claims)) throw about(invalidToken(), clientId, 'token.revoked')
    const status = appStatuses.get(clientId)
    if (!status) return caller
    if (!status.enabled) throw about(invalidToken('token.app_disabled'), clientId)
    if ((claims.secret_generation ?? 0) < status.oldestSecretGeneration)
      throw about(invalidToken('token.secret_replaced'), clientId)
    return {
      ...caller,
      ...(status.scopes && { scopes: caller.scopes.intersection(status.scopes) }),
      requestsPerMinute: status.requestsPerMinute,
    }
  }

  async #examine(token: string): Promise<Verdict> {
    const keys = this.#keys
    const verdict = toVerdict(await this.#checkSignature(wellFormed(token)))
    // The key may have been withdrawn during the check.
    if (this.#keys === keys) this.#verdicts.set(token, verdict)
    return verdict
  }

  /** Finds the key that signed a token. Another process may have just created it. */
  async #findKey({ kid = '', alg, typ }: ProtectedHeaderParameters) {
    if (!this.#keys.has(kid) && alg === 'ES256' && typ === 'at+jwt' && isKid(kid))
      await this.#options.reloadKeys()
    return this.#keys.get(kid)
  }

  async #checkSignature(token: string): Promise<JWTPayload> {
    try {
      const key = await this.#findKey(decodeProtectedHeader(token))
      if (!key) throw new Error('Unknown signing key')
      const { payload } = await jwtVerify(token, key, {
        issuer: this.#options.issuer,
        audience: listAudiences(this.#options.audiences),
        typ: 'at+jwt',
        algorithms: ['ES256'],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: new Date(this.#options.clock.now()),
        requiredClaims: ['sub', 'client_id', 'scope', 'exp', 'iat', 'jti'],
      })
      return payload
    } catch (cause) {
      const refusal = invalidToken(undefined, cause)
      // The library checks claims after the signature, so the token is ours.
      const clientId = cause instanceof errors.JWTExpired ? cause.payload['client_id'] : undefined
      throw typeof clientId === 'string' ? about(refusal, clientId, 'token.expired') : refusal
    }
  }
}

/** Adds details for the app's developer. The caller does not see them. */
function about(refusal: ApiError, clientId: string, code?: RefusalReason['code']): ApiError {
  refusal.about = { clientId, ...(code !== undefined && { reason: { code } }) }
  return refusal
}

/**
 * Whether the claims have the types of RFC 9068. Rejects sender-constrained tokens, because no proof of possession is
 * checked.
 */
const isAccessToken = (claims: JWTPayload): claims is JWTPayload & AccessTokenClaims =>
  typeof claims['client_id'] === 'string' &&
  typeof claims['scope'] === 'string' &&
  typeof claims.aud === 'string' &&
  claims.jti !== undefined &&
  claims.sub !== undefined &&
  claims.iat !== undefined &&
  claims.exp !== undefined &&
  claims['cnf'] === undefined &&
  // Without a grant, a user's token could not be revoked.
  (claims.sub === claims['client_id']
    ? claims['gid'] === undefined
    : typeof claims['gid'] === 'string')

/** @throws {ApiError} if the claims are not those of an access token */
function toVerdict(claims: JWTPayload): Verdict {
  if (!isAccessToken(claims)) throw invalidToken()
  const { sub, client_id: clientId, scope } = claims
  const isApplication = sub === clientId
  return {
    claims,
    caller: {
      kind: isApplication ? 'application' : 'user',
      clientId,
      accountId: isApplication ? undefined : sub,
      scopes: withImplied(scope.split(' ')),
      requestsPerMinute: undefined,
    },
  }
}
