import type { IncomingMessage } from 'node:http'
import type { Adapter } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { Provider } from '../provider/oidc-provider.ts'
import { revokeToken } from '../provider/storage/revocation-queries.ts'
import type { AccessTokenClaims } from './verify-token.ts'

/**
 * Lets the provider revoke and introspect JWTs, which are not stored. `provider/provider-bridge.ts` replaces a JWT
 * with the placeholder `PRESENTED_JWT` and attaches the verified claims to the request. The adapter below returns them when
 * the provider looks up the placeholder.
 */

/** Placeholder for a request's JWT. No token of the provider can have this value. */
export const PRESENTED_JWT = 'presented:jwt'

const claimsByRequest = new WeakMap<IncomingMessage, AccessTokenClaims>()

/** Attaches the claims of the JWT that `PRESENTED_JWT` replaces in this request. */
export const attachClaims = (request: IncomingMessage, claims: AccessTokenClaims) =>
  claimsByRequest.set(request, claims)

export const isJwt = (token: string) => token.split('.').length === 3

/**
 * Wraps the adapter of one kind of token, so that it also finds the JWT of the current request if the JWT is of that
 * kind.
 */
export function withJwtIntrospection(
  db: Database,
  kind: 'AccessToken' | 'ClientCredentials',
  stored: Adapter,
): Adapter {
  function presentedClaims() {
    const request = Provider.ctx?.req
    const claims = request && claimsByRequest.get(request)
    const kindOfJwt = claims?.gid === undefined ? 'ClientCredentials' : 'AccessToken'
    return kindOfJwt === kind ? claims : undefined
  }
  return {
    ...stored,
    async find(id) {
      if (id !== PRESENTED_JWT) return stored.find(id)
      const claims = presentedClaims()
      return claims && toPayload(claims, kind)
    },
    async destroy(id) {
      if (presentedClaims()?.jti === id) await revokeToken(db, id)
      else await stored.destroy(id)
    },
  }
}

/** Converts claims to the payload of a stored opaque token. */
const toPayload = (claims: AccessTokenClaims, kind: string) => ({
  kind,
  jti: claims.jti,
  clientId: claims.client_id,
  scope: claims.scope,
  aud: claims.aud,
  iat: claims.iat,
  exp: claims.exp,
  ...(claims.gid !== undefined && { accountId: claims.sub, grantId: claims.gid }),
})
