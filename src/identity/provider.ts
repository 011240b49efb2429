import type { Adapter, Configuration } from 'oidc-provider'
import type { Logger } from 'pino'
import { findApps } from '../apps/queries.ts'
import { SCOPES } from '../apps/scopes.ts'
import { isClientId, secretMatches } from '../apps/secrets.ts'
import type { Database } from '../db/database.ts'
import { gather } from '../db/gather.ts'
import { applicationScopes, toClient } from './clients.ts'
import type { SigningKey } from './keys.ts'
import { errors, Provider } from './oidc-provider.ts'

/** Seconds (§8). */
const ACCESS_TOKEN_LIFETIME = 3_600

export type ProviderOptions = {
  db: Database
  /** `{auth_url}/oidc`, to the letter (decisions §1). */
  issuer: string
  /** `{api_url}/open`: the audience of every API token (decisions §3). */
  audience: string
  log: Logger
}

/**
 * The OpenID provider with these keys; making one costs half a millisecond, so new keys mean a new provider.
 *
 * It is a library that follows the standards; what is set here is where §5 is stricter than its defaults.
 */
export function makeProvider({ db, issuer, audience, log }: ProviderOptions, keys: SigningKey[]) {
  const configuration: Configuration = {
    adapter: (name) => (name === 'Client' ? clientAdapter(db) : unusedAdapter(name)),
    jwks: { keys: keys.map(({ privateJwk }) => ({ ...privateJwk, kty: privateJwk.kty ?? '' })) },
    scopes: SCOPES,
    responseTypes: ['code'],
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // By default a request without redirect_uri would be accepted.
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientDefaults: {
      id_token_signed_response_alg: 'RS256',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    // Any origin may ask, without credentials (decisions §1); the library's default refuses all.
    clientBasedCORS: () => true,
    ttl: { ClientCredentials: ACCESS_TOKEN_LIFETIME },
    features: {
      devInteractions: { enabled: false },
      // On by default: its tokens would pass for bearer tokens at an API that does not check proofs.
      dPoP: { enabled: false },
      clientCredentials: { enabled: true },
      // Not open yet, and so not to be told of by discovery.
      pushedAuthorizationRequests: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource, client) => {
          if (resource !== audience) throw new errors.InvalidTarget(`resource must be ${audience}`)
          const held = applicationScopes(client)
          refuseWiderScope(ctx.oidc.params?.['scope'], held)
          return {
            scope: held.join(' '),
            audience,
            accessTokenTTL: ACCESS_TOKEN_LIFETIME,
            accessTokenFormat: 'jwt',
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
  }
  const provider = new Provider(issuer, configuration)
  // The mount says how the world reached us (identity/plugin.ts), in the headers of a proxy.
  provider.proxy = true
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'OpenID provider failed'))
  checkSecretsStrictly(provider)
  return provider
}

/** §5.5: the scope asked for must not exceed the app's. By default what is too much would be left out in silence. */
function refuseWiderScope(scope: unknown, held: string[]) {
  const asked = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
  if (asked.length === 0)
    throw new errors.InvalidScope(`scope is missing: name the scopes you want, of ${held.join(' ')}`, '')
  const excess = asked.find((name) => !held.includes(name))
  if (excess) throw new errors.InvalidScope(`the app does not hold the scope ${excess}`, excess)
}

/** §5.4: exactly the registered method. By default Basic and post are interchangeable. The stored secret is a hash. */
function checkSecretsStrictly(provider: InstanceType<typeof Provider>) {
  provider.Client.prototype.compareClientSecret = function compareClientSecret(presented: string) {
    const basic = Provider.ctx?.headers.authorization !== undefined
    const method = basic ? 'client_secret_basic' : 'client_secret_post'
    return (
      this.tokenEndpointAuthMethod === method &&
      this.clientSecret !== undefined &&
      secretMatches(presented, this.clientSecret)
    )
  }
}

/** The provider asks on every request, so that a new secret or a disabled app counts at once. */
function clientAdapter(db: Database): Adapter {
  const find = gather(
    (clientIds: string[]) => findApps(db, clientIds),
    (app) => app.client_id,
  )
  return {
    ...unusedAdapter('Client'),
    // What cannot be an id does not get into a statement that other requests share.
    find: async (clientId) => (isClientId(clientId) ? toClient(await find(clientId)) : undefined),
  }
}

/** Application tokens are JWTs and leave nothing to store; whatever else would be kept has no place yet. */
function unusedAdapter(name: string): Adapter {
  const refuse = () => Promise.reject(new Error(`${name} is not stored`))
  return {
    upsert: refuse,
    find: async () => undefined,
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}
