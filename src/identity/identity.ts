import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppStatusCache } from '../apps/app-status-cache.ts'
import type { Usage } from '../apps/usage/usage.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { withinOneDeadline } from '../db/server/deadlines.ts'
import type { DatabaseClock } from '../db/upkeep/database-clock.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import type { VerifyToken } from '../http/admission/bearer.ts'
import { invalidToken } from '../http/wire/errors/refusals.ts'
import { findClaims } from './claims.ts'
import { LogoutDeliveries } from './provider/backchannel-logout.ts'
import type { EndedSession } from './provider/storage/session-queries.ts'
import { ensureCookieKeys } from './provider/storage/cookie-keys.ts'
import { isJwt } from './tokens/jwt-introspection.ts'
import { followSigningKeys } from './tokens/follow-keys.ts'
import { ensureSigningKeys } from './tokens/keys.ts'
import { createProvider, type OpenIdProvider, type ProviderOptions } from './provider/provider.ts'
import { PersonalTokenVerifier } from './tokens/personal-token-verifier.ts'
import { listAudiences, mcpUrlOf, type Audiences } from './provider/resource.ts'
import { TokenVerifier } from './tokens/verify-token.ts'
import { RevocationList } from './tokens/revocation-list.ts'

export type Identity = Awaited<ReturnType<typeof openIdentity>>

export type IdentityOptions = {
  db: Database
  signals: Signals
  clock: DatabaseClock
  authUrl: string
  apiUrl: string
  baseUrl: string
  mcp: Config['mcp']
  clientDocuments: Config['clientDocuments']
  secretKey: string | undefined
  legalFiles?: Config['legalFiles']
  /** Counts requests from apps, including refused ones. */
  usage: Usage
  onTokens?: ProviderOptions['onTokens']
  log: Logger
}

/** Opens the provider and the token verifier with their keys, and follows key changes by other processes. */
export async function openIdentity(options: IdentityOptions) {
  const { db, signals, clock, authUrl, apiUrl, baseUrl, secretKey, usage, onTokens, log } = options
  const issuer = `${authUrl}/oidc`
  const protocol = new URL(authUrl).protocol.slice(0, -1)
  const audiences: Audiences = {
    api: `${apiUrl}/open`,
    mcp: options.mcp === 'on' ? mcpUrlOf(baseUrl) : undefined,
  }
  const appStatuses = new AppStatusCache()
  const revocations = new RevocationList()
  const verifier = new TokenVerifier({
    issuer,
    audiences,
    appStatuses,
    revocations,
    reloadKeys: () => followedKeys.reloadForToken(),
    clock,
  })
  const personalTokens = new PersonalTokenVerifier(db, clock, log)
  const deliveries = new LogoutDeliveries(log)
  const cookieKeys = await ensureCookieKeys(db, secretKey)
  let current:
    | { provider: OpenIdProvider; handle: ReturnType<OpenIdProvider['callback']> }
    | undefined
  const followedKeys = followSigningKeys({ db, secretKey, clock, log }, async (keys) => {
    await verifier.useKeys(keys)
    const provider = createProvider(
      {
        db,
        clock,
        issuer,
        audiences,
        acceptsDocuments: options.clientDocuments === 'on',
        cookieKeys,
        legalFiles: options.legalFiles,
        usage,
        deliveries,
        catchUp: signals.catchUp,
        onTokens,
        log,
      },
      keys,
    )
    current = { provider, handle: provider.callback() }
  })

  function requireProvider() {
    if (!current) throw new Error('The provider has no keys yet')
    return current
  }

  /** Verifies the access token of an app or a user, or a personal access token. */
  const verifyToken: VerifyToken = (token) =>
    PersonalTokenVerifier.accepts(token) ? personalTokens.verify(token) : verifier.verify(token)

  await ensureSigningKeys(db, secretKey)
  signals.on('signing_keys', followedKeys.reload)
  signals.on('apps', () => appStatuses.reload(db))
  signals.on('withdrawals', () => revocations.reload(db))
  signals.on('bans', () => {
    personalTokens.clear()
    return revocations.reloadBans(db)
  })
  signals.on('personal_tokens', () => personalTokens.clear())
  await Promise.all([
    followedKeys.reload(),
    appStatuses.reload(db),
    revocations.reload(db),
    revocations.reloadBans(db),
  ])

  return {
    /** Responds to a request for the OpenID provider. */
    handle: (request: IncomingMessage, response: ServerResponse): Promise<void> =>
      withinOneDeadline(() => requireProvider().handle(request, response)),
    /** Sets the protocol of `authUrl`, for code outside the provider that reads its cookies. */
    prepareRequest: (request: IncomingMessage) => {
      request.headers['x-forwarded-proto'] = protocol
    },
    /** Returns the provider with the current keys. */
    provider: () => requireProvider().provider,
    /** Resources that a token request can name, that of the API first. */
    audiences: listAudiences(audiences),
    /** Keys that sign cookies; the first signs new ones. */
    cookieKeys,
    /** Verifies tokens for the API. */
    verifyToken,
    /** Verifies tokens for the tools for agents. */
    verifyMcpToken: verifier.verifyMcp,
    /** Returns the claims of a valid JWT issued by this service, and `undefined` for any other string. */
    readJwt: (token: string) => verifier.claims(token).catch(() => undefined),
    /**
     * Returns the account and the scopes of an access token, JWT or opaque.
     *
     * @throws {ApiError} `AUTH_TOKEN_INVALID`, or `USER_BANNED`
     */
    introspect: async (token: string) => {
      if (isJwt(token)) {
        const { sub, scope } = await verifier.claims(token)
        return { accountId: sub, scopes: scope.split(' ') }
      }
      const found = await requireProvider().provider.AccessToken.find(token)
      const disabled =
        found?.clientId !== undefined && appStatuses.get(found.clientId)?.enabled === false
      if (!found || disabled) throw invalidToken()
      return { accountId: found.accountId, scopes: [...found.scopes] }
    },
    /** @returns undefined if the account is gone, banned or scheduled for deletion */
    claimsOf: (accountId: string) => findClaims(db, accountId, authUrl),
    /** Notifies apps of ended sessions in the background. */
    notifyAppsOfSignOut: (ended: EndedSession[]) => {
      deliveries
        .notifyApps(requireProvider().provider, ended)
        .catch((err: unknown) => log.warn({ err }, 'Apps could not be notified of a sign-out'))
    },
    close: async () => {
      followedKeys.stop()
      await deliveries.stop()
    },
  }
}
