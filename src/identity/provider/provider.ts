import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Logger } from 'pino'
import { SCOPES } from '../../apps/rules/scopes.ts'
import type { Usage } from '../../apps/usage/usage.ts'
import type { Database } from '../../db/database.ts'
import type { DatabaseClock } from '../../db/upkeep/database-clock.ts'
import { cookieName } from '../../ui/forms/cookie-name.ts'
import { LANGUAGE_COOKIE } from '../../ui/page/page-context.ts'
import { accountFinder, adapterFor } from './storage/adapter.ts'
import { respondUnavailable } from './requests/respond-unavailable.ts'
import { CLAIMS } from '../claims.ts'
import type { LogoutDeliveries } from './backchannel-logout.ts'
import { clientIdMetadataDocuments, fetchDocuments } from './client-documents.ts'
import {
  OWNER_BANNED,
  PREVIOUS_SECRET,
  REQUIRED_SCOPES,
  SECRET_GENERATION,
} from './storage/clients.ts'
import { loadRememberedGrant } from './consent.ts'
import type { SigningKey } from '../tokens/keys.ts'
import {
  ACCESS_TOKEN_LIFETIME_SECONDS,
  AUTHORIZATION_CODE_LIFETIME_SECONDS,
  CONSENT_LIFETIME_SECONDS,
  DEVICE_CODE_LIFETIME_SECONDS,
  INTERACTION_LIFETIME_SECONDS,
  ANONYMOUS_SESSION_LIFETIME_SECONDS,
  REFRESH_TOKEN_LIFETIME_SECONDS,
  SESSION_LIFETIME_SECONDS,
} from '../lifetimes.ts'
import type { Config } from '../../config/config.ts'
import { respondToRevocationWithJson, correctMetadata, metadataOf } from './metadata.ts'
import { deviceInfo } from './requests/device-request.ts'
import { explainTokenErrors } from './requests/explain-token-errors.ts'
import { errors, Provider } from './oidc-provider.ts'
import { datedByDatabase } from './patches/database-time.ts'
import { patchProvider } from './patches/patch-provider.ts'
import { SESSION_COOKIE } from './patches/stable-session-id.ts'
import { generationOfSecret } from './patches/strict-client-secret.ts'
import { createPolicy } from './policy.ts'
import { providerPages } from './provider-pages.ts'
import { codedError } from './provider-refusal.ts'
import { addCookieAges } from './requests/cookie-ages.ts'
import { recordArrival } from './requests/current-request.ts'
import { recordRefusedRequests, TOKEN_ENDPOINT } from './requests/refused-requests.ts'
import { listAudiences, refuseWiderScope, resourceIndicators, type Audiences } from './resource.ts'
import { enforcePollInterval } from './requests/poll-interval.ts'

export type ProviderOptions = {
  db: Database
  clock: DatabaseClock
  /** Exactly `{auth_url}/oidc` (decision 0002). */
  issuer: string
  audiences: Audiences
  /** Whether apps can identify themselves by the URL of a document. */
  acceptsDocuments: boolean
  legalFiles?: Config['legalFiles'] | undefined
  /** Keys that sign cookies; the first signs new ones. */
  cookieKeys: string[]
  /** Counts requests from apps, including refused ones. */
  usage: Usage
  deliveries: LogoutDeliveries
  /** Resolves once this process has seen all earlier revocations. */
  catchUp: () => Promise<void>
  /** Called with the grant type of each successful token request. */
  onTokens?: ((grant: string) => void) | undefined
  log: Logger
}

export type OpenIdProvider = ReturnType<typeof createProvider>

/**
 * Creates the OpenID provider with these keys. Changing the keys creates a new provider, which takes half a
 * millisecond. The configuration sets only what §5 requires and the library's defaults do not provide.
 */
export function createProvider(options: ProviderOptions, keys: SigningKey[]) {
  const { db, clock, issuer, audiences, cookieKeys, log } = options
  const pages = providerPages()
  const secure = issuer.startsWith('https:')
  const configuration: Configuration = {
    adapter: (name) => adapterFor(db, name, options.acceptsDocuments),
    jwks: { keys: keys.map(({ privateJwk }) => ({ ...privateJwk, kty: privateJwk.kty ?? '' })) },
    scopes: SCOPES,
    claims: CLAIMS,
    // Puts the profile and email claims into the ID token.
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    discovery: metadataOf(new URL(issuer).origin, options.legalFiles),
    pkce: { required: () => true },
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // The default accepts a request without redirect_uri.
    allowOmittingSingleRegisteredRedirectUri: false,
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    clientDefaults: {
      id_token_signed_response_alg: 'RS256',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    cookies: {
      keys: cookieKeys,
      names: {
        session: cookieName('session', secure),
        // Limited to a path, so browsers reject the __Host- prefix.
        interaction: secure ? '__Secure-interaction' : 'mokuroku-interaction',
        resume: secure ? '__Secure-resume' : 'mokuroku-resume',
      },
      long: SESSION_COOKIE,
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    // Allows any origin, without credentials (decision 0002). The default allows none.
    clientBasedCORS: () => true,
    findAccount: accountFinder(db, new URL(issuer).origin),
    loadExistingGrant: (ctx) => loadRememberedGrant(db, listAudiences(audiences), ctx),
    interactions: { policy: createPolicy(), url: interactionPath },
    // Checks of standard parameters. They run after the client and redirect_uri are verified, so errors are redirected
    // to the app (§5.3).
    extraParams: {
      scope: (_ctx, value, client) => refuseWiderScope(value, (client.scope ?? '').split(' ')),
      state: ({ oidc }, value) => {
        const forBrowsers =
          oidc.route === 'authorization' || oidc.route === 'pushed_authorization_request'
        if (forBrowsers && !value)
          throw codedError((text) => new errors.InvalidRequest(text), { code: 'state.missing' })
      },
    },
    extraClientMetadata: {
      properties: [SECRET_GENERATION, PREVIOUS_SECRET, REQUIRED_SCOPES, OWNER_BANNED],
    },
    extraTokenClaims: ({ oidc }, token) => {
      const generation = generationOfSecret(oidc)
      return {
        ...(token.kind === 'AccessToken' && { gid: token.grantId }),
        // Omitted while 0, as for most apps.
        ...(generation > 0 && { [SECRET_GENERATION]: generation }),
      }
    },
    formats: { customizers: { jwt: datedByDatabase(clock) } },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: ACCESS_TOKEN_LIFETIME_SECONDS,
      ClientCredentials: ACCESS_TOKEN_LIFETIME_SECONDS,
      IdToken: ACCESS_TOKEN_LIFETIME_SECONDS,
      AuthorizationCode: AUTHORIZATION_CODE_LIFETIME_SECONDS,
      DeviceCode: DEVICE_CODE_LIFETIME_SECONDS,
      Interaction: INTERACTION_LIFETIME_SECONDS,
      Session: (_ctx, session) =>
        session.accountId === undefined
          ? ANONYMOUS_SESSION_LIFETIME_SECONDS
          : SESSION_LIFETIME_SECONDS,
      Grant: CONSENT_LIFETIME_SECONDS,
      RefreshToken: (_ctx, token) => {
        const age = token.iiat === undefined ? 0 : Math.floor(Date.now() / 1_000) - token.iiat
        return Math.max(1, Math.min(REFRESH_TOKEN_LIFETIME_SECONDS, CONSENT_LIFETIME_SECONDS - age))
      },
    },
    renderError: pages.renderError,
    fetch: fetchDocuments(issuer),
    features: {
      devInteractions: { enabled: false },
      // On by default, but tokens bound to a proof would pass as bearer tokens at an API that checks no proofs.
      dPoP: { enabled: false },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      // RFC 7662, for confidential clients and their own tokens. The default allows all tokens.
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) =>
          client.clientAuthMethod !== 'none' && token.clientId === client.clientId,
      },
      // Served by identity/provider/userinfo.ts, which also accepts JWTs. Enabled here for discovery and for rules
      // that depend on it.
      userinfo: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: pages.logoutSource,
        postLogoutSuccessSource: pages.postLogoutSuccessSource,
      },
      deviceFlow: {
        enabled: true,
        deviceInfo,
        userCodeInputSource: pages.userCodeInputSource,
        userCodeConfirmSource: pages.userCodeConfirmSource,
        successSource: pages.deviceSuccessSource,
      },
      backchannelLogout: { enabled: true },
      clientIdMetadataDocument: clientIdMetadataDocuments(db, options.acceptsDocuments),
      resourceIndicators: resourceIndicators(audiences),
    },
  }
  const provider = new Provider(issuer, configuration)
  // identity/provider/provider-bridge.ts sets host and protocol, as a proxy would.
  provider.proxy = true
  respondUnavailable(provider, pages.unavailable)
  const checkPollInterval = enforcePollInterval()
  const explainTokenError = explainTokenErrors(provider, db)
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    recordArrival(ctx)
    await next()
    // A single middleware, because each one costs another promise per request.
    const replaced = pages.replaceAutomaticForms(ctx)
    if (replaced) await replaced
    correctMetadata(ctx)
    addCookieAges(ctx.res)
    respondToRevocationWithJson(ctx)
    checkPollInterval(ctx)
    await explainTokenError(ctx)
    if (mayRevokeToken(ctx)) await options.catchUp()
  })
  provider.on('grant.success', ({ oidc }) =>
    options.onTokens?.(String(oidc.params?.['grant_type'])),
  )
  provider.on('server_error', (_ctx, err) => log.error({ err }, 'OpenID provider failed'))
  provider.on('grant.success', ({ oidc }) => {
    if (!oidc.client) return
    options.usage.count(oidc.client.clientId, 'tokens')
    options.usage.countRequest(oidc.client.clientId, TOKEN_ENDPOINT, 2)
  })
  recordRefusedRequests(provider, options.usage)
  patchProvider(provider, db, clock)
  options.deliveries.runInBackground(provider)
  return provider
}

/**
 * True for requests that may revoke a token. Their response waits until this process rejects the token. Successful
 * token requests do not wait. Neither do requests that fail with a 5xx error, because the database may be the cause.
 */
function mayRevokeToken({ oidc, status }: KoaContextWithOIDC): boolean {
  const route = oidc?.route
  if (status >= 500) return false
  return (
    route === 'revocation' ||
    route === 'end_session_confirm' ||
    (route === 'token' && status >= 400)
  )
}

/** @throws {AccessDenied} if the user would be asked to allow an app whose developer is banned */
function interactionPath(
  ctx: KoaContextWithOIDC,
  { uid, prompt }: { uid: string; prompt: { name: string } },
) {
  if (prompt.name === 'consent' && ctx.oidc.client?.[OWNER_BANNED] === true)
    throw codedError((text) => new errors.AccessDenied(text), { code: 'owner.banned' })
  return `/interaction/${uid}${languageParameter(ctx)}`
}

/** Passes on the language that an app requests, unless the user has chosen one. */
function languageParameter(ctx: KoaContextWithOIDC) {
  const wish = ctx.oidc.params?.['ui_locales']
  if (typeof wish !== 'string' || ctx.cookies.get(LANGUAGE_COOKIE) !== undefined) return ''
  return `?${new URLSearchParams({ ui_locales: wish }).toString()}`
}
