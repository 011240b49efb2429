import type { IncomingMessage } from 'node:http'
import type { Adapter } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { Provider } from '../provider/oidc-provider.ts'
import { revokeToken } from '../provider/storage/queries.ts'
import type { AccessTokenClaims } from './verify-token.ts'

/**
 * Access tokens for the API are JWTs, which are not stored, and the provider neither revokes nor introspects a token
 * that it does not find in its store. So `provider/provider-bridge.ts` sends the placeholder `PRESENTED_JWT` in place
 * of the JWT and attaches the verified claims to the request; the store below answers a search for the placeholder with
 * them.
 */

/** No token of the provider's own looks like this. */
export const PRESENTED_JWT = 'presented:jwt'

const claimsByRequest = new WeakMap<IncomingMessage, AccessTokenClaims>()

/** Attaches what the JWT that `PRESENTED_JWT` stands for in this request says. */
export const attachClaims = (request: IncomingMessage, claims: AccessTokenClaims) =>
  claimsByRequest.set(request, claims)

export const isJwt = (token: string) => token.split('.').length === 3

/** The stored tokens of a kind, and the JWT of that kind that is presented in the request under way. */
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

/** Claims as the provider stores an opaque token. */
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
