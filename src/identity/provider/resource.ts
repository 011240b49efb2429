import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import { isApiScope } from '../../apps/rules/scopes.ts'
import { applicationScopes } from './storage/clients.ts'
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../lifetimes.ts'
import { errors } from './oidc-provider.ts'
import { codedError } from './provider-refusal.ts'
import { requestedScopes, requestParameter } from './requests/request-parameter.ts'

type ResourceIndicators = NonNullable<NonNullable<Configuration['features']>['resourceIndicators']>

/** Audiences of access tokens (RFC 8707). */
export type Audiences = {
  /** `{api_url}/open`: audience of the API, and of tokens whose request names no resource (decision 0003). */
  api: string
  /** `{base_url}/mcp`: audience of the tools for agents (decision 0054); undefined if they are off. */
  mcp: string | undefined
}

/** Returns the URL of the tools for agents. */
export const mcpUrlOf = (baseUrl: string) => `${baseUrl}/mcp`

/** Returns the audiences that a token request can name. */
export const listAudiences = ({ api, mcp }: Audiences): string[] =>
  mcp === undefined ? [api] : [api, mcp]

/**
 * Describes the resources (decisions 0003 and 0054). A token with any API scope is a JWT for one of them. A token with
 * only OpenID scopes is opaque and valid at `/oidc/me`.
 */
export function resourceIndicators(audiences: Audiences): ResourceIndicators {
  const known = listAudiences(audiences)
  return {
    enabled: true,
    // Most clients do not name a resource. The provider reads an empty array as no resource, and any other value as
    // the resource.
    defaultResource: (ctx) => (wantsApi(ctx) ? audiences.api : []),
    // By default a grant with `openid` would only get tokens for /oidc/me.
    useGrantedResource: () => true,
    getResourceServerInfo: (ctx, resource, client) => {
      if (!known.includes(resource))
        throw codedError((text) => new errors.InvalidTarget(text), {
          code: 'resource.other',
          params: { audience: known.join(' · ') },
        })
      const withoutUser = ctx.oidc.params?.['grant_type'] === 'client_credentials'
      const held = withoutUser ? applicationScopes(client) : (client.scope ?? '').split(' ')
      if (withoutUser) refuseWiderScope(ctx.oidc.params?.['scope'], held)
      return {
        // Scopes that the app currently holds. A scope removed from the app disappears at the next refresh.
        scope: held.join(' '),
        audience: resource,
        accessTokenTTL: ACCESS_TOKEN_LIFETIME_SECONDS,
        accessTokenFormat: wantsApi(ctx) ? 'jwt' : 'opaque',
        jwt: { sign: { alg: 'ES256' } },
      }
    },
  }
}

/** Whether the request names an API scope, or names no scope and its grant has one. */
function wantsApi({ oidc }: KoaContextWithOIDC) {
  if (requestParameter(oidc.params, 'grant_type') === 'client_credentials') return true
  const {
    AuthorizationCode: code,
    RefreshToken: refreshToken,
    DeviceCode: deviceCode,
  } = oidc.entities
  const requested = requestedScopes(oidc.params)
  const granted = requestedScopes(code ?? refreshToken ?? deviceCode)
  return (requested.length > 0 ? requested : granted).some(isApiScope)
}

/**
 * Rejects a request whose scope exceeds that of the app (§5.2, §5.5). By default, the provider would silently drop the
 * excess.
 */
export function refuseWiderScope(scope: unknown, held: readonly string[]) {
  const requested = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
  if (requested.length === 0)
    throw codedError((text) => new errors.InvalidScope(text, ''), {
      code: 'scope.missing',
      params: { scopes: held.join(' ') },
    })
  const excess = requested.find((name) => !held.includes(name))
  if (excess)
    throw codedError((text) => new errors.InvalidScope(text, excess), {
      code: 'scope.not_held',
      params: { scope: excess },
    })
}
