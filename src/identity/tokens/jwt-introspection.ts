import type { IncomingMessage } from 'node:http'
import type { Adapter } from 'oidc-provider'
import type { Database } from '../../db/database.ts'
import { Provider } from '../provider/oidc-provider.ts'
import { revokeToken } from '../provider/queries.ts'
import type { AccessTokenClaims } from './verify-token.ts'

/**
 * Access tokens are JWTs and not stored, and the provider neither revokes nor introspects such. So the mount puts a name
 * in the place of a JWT that is good (identity/provider/provider-bridge.ts), and here the provider finds under that name what the JWT says.
 */

/** No token of the provider's own looks like this. */
export const PRESENTED_JWT = 'presented:jwt'

const presented = new WeakMap<IncomingMessage, AccessTokenClaims>()

export const attachClaims = (request: IncomingMessage, claims: AccessTokenClaims) =>
  presented.set(request, claims)

/** The records of one kind of access token, and the JWT of that kind that is presented in this request. */
export function withJwtIntrospection(
  db: Database,
  kind: 'AccessToken' | 'ClientCredentials',
  records: Adapter,
): Adapter {
  const claimsOfRequest = () => {
    const request = Provider.ctx?.req
    const claims = request && presented.get(request)
    return claims && (claims.gid === undefined) === (kind === 'ClientCredentials') ? claims : undefined
  }
  return {
    ...records,
    async find(id) {
      if (id !== PRESENTED_JWT) return records.find(id)
      const claims = claimsOfRequest()
      return (
        claims && {
          kind,
          jti: claims.jti,
          clientId: claims.client_id,
          scope: claims.scope,
          aud: claims.aud,
          iat: claims.iat,
          exp: claims.exp,
          ...(claims.gid !== undefined && { accountId: claims.sub, grantId: claims.gid }),
        }
      )
    },
    async destroy(id) {
      if (claimsOfRequest()?.jti === id) await revokeToken(db, id)
      else await records.destroy(id)
    },
  }
}

export const isJwt = (token: string) => token.split('.').length === 3
