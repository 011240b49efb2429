import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppStatusCache } from '../apps/app-status-cache.ts'
import type { Usage } from '../apps/usage/usage.ts'
import type { Database } from '../db/database.ts'
import { withinOneDeadline } from '../db/server/deadlines.ts'
import type { Signals } from '../db/upkeep/signals.ts'
import { invalidToken } from '../http/wire/errors/refusals.ts'
import type { VerifyToken } from '../http/admission/bearer.ts'
import { coalesce } from '../kernel/async/coalesce.ts'
import { findClaims, type AccountClaims } from './claims.ts'
import { LogoutDeliveries } from './provider/backchannel-logout.ts'
import type { EndedSession } from './provider/storage/session-queries.ts'
import { ensureCookieKeys } from './provider/storage/cookie-keys.ts'
import { isJwt } from './tokens/jwt-introspection.ts'
import {
  ensureSigningKeys,
  listSigningKeys,
  nextKeyChange,
  type SigningKey,
} from './tokens/keys.ts'
import { makeProvider, type OpenIdProvider } from './provider/provider.ts'
import { TokenVerifier, type AccessTokenClaims } from './tokens/verify-token.ts'
import { RevocationList } from './tokens/revocation-list.ts'

export type Identity = {
  /** Answers a request for the OpenID provider. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Sets the protocol of `authUrl`, for what reads the provider's cookies outside of it. */
  prepareRequest(request: IncomingMessage): void
  /** The provider with the keys of now. */
  provider(): OpenIdProvider
  /** `{api_url}/open`. */
  audience: string
  /** Sign cookies, the first of them new ones. */
  cookieKeys: string[]
  verifyToken: VerifyToken
  /** The claims of a valid JWT of ours; undefined for any other text. */
  readJwt(token: string): Promise<AccessTokenClaims | undefined>
  /**
   * Whose access token that is, JWT or opaque, and what was granted.
   *
   * @throws {ApiError} `AUTH_TOKEN_INVALID`, or `USER_BANNED`
   */
  introspect(token: string): Promise<{ accountId: string; scopes: string[] }>
  /** Undefined: there is no such account, or it is banned. */
  claimsOf(accountId: string): Promise<AccountClaims | undefined>
  /** Tells the apps of sessions that have ended, beside whatever is done next. */
  announceSignOut(ended: EndedSession[]): void
  close(): Promise<void>
}

export type IdentityOptions = {
  db: Database
  signals: Signals
  authUrl: string
  apiUrl: string
  secretKey: string | undefined
  /** Counts what apps get and are refused. */
  usage: Usage
  log: Logger
}

/** Between two reads of the keys for tokens of keys that are not known here, in milliseconds: anybody can name one. */
const KEY_RELOAD_MS = 250

/** The provider, the verifier and the keys of both, updated when another process changes what they cache. */
export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { db, signals, authUrl, apiUrl, secretKey, usage, log } = options
  const issuer = `${authUrl}/oidc`
  const protocol = new URL(authUrl).protocol.slice(0, -1)
  const audience = `${apiUrl}/open`
  const appStatuses = new AppStatusCache()
  const revocations = new RevocationList()
  const verifier = new TokenVerifier({
    issuer,
    audience,
    appStatuses,
    revocations,
    reloadKeys: coalesce(KEY_RELOAD_MS, reloadOtherKeys),
  })
  const deliveries = new LogoutDeliveries(log)
  const cookieKeys = await ensureCookieKeys(db, secretKey)
  let current: { provider: OpenIdProvider; handle: Identity['handle'] } | undefined
  let nextReload: NodeJS.Timeout | undefined
  let knownKids: ReadonlySet<string> = new Set()

  async function reloadKeys() {
    await replaceKeys(await listSigningKeys(db, secretKey))
  }

  /** The same when they are others: with new ones every verdict in memory is void. */
  async function reloadOtherKeys() {
    const keys = await listSigningKeys(db, secretKey)
    if (keys.some(({ kid }) => !knownKids.has(kid))) await replaceKeys(keys)
  }

  async function replaceKeys(keys: SigningKey[]) {
    await verifier.useKeys(keys)
    const provider = makeProvider(
      { db, issuer, audience, cookieKeys, usage, deliveries, catchUp: signals.catchUp, log },
      keys,
    )
    current = { provider, handle: provider.callback() }
    knownKids = new Set(keys.map(({ kid }) => kid))
    const change = nextKeyChange(keys)
    clearTimeout(nextReload)
    if (change) nextReload = setTimeout(reloadOnTimer, change.getTime() - Date.now() + 50).unref()
  }

  function reloadOnTimer() {
    reloadKeys().catch((err: unknown) => {
      log.error({ err }, 'Signing keys could not be read; trying again')
      nextReload = setTimeout(reloadOnTimer, 1_000).unref()
    })
  }

  function requireProvider() {
    if (!current) throw new Error('The provider is asked before it has keys')
    return current
  }

  async function introspect(token: string) {
    if (isJwt(token)) {
      const { sub, scope } = await verifier.claims(token)
      return { accountId: sub, scopes: scope.split(' ') }
    }
    const found = await requireProvider().provider.AccessToken.find(token)
    const disabled =
      found?.clientId !== undefined && appStatuses.get(found.clientId)?.enabled === false
    if (!found || disabled) throw invalidToken()
    return { accountId: found.accountId, scopes: [...found.scopes] }
  }

  await ensureSigningKeys(db, secretKey)
  signals.on('signing_keys', reloadKeys)
  signals.on('apps', () => appStatuses.reload(db))
  signals.on('withdrawals', () => revocations.reload(db))
  signals.on('bans', () => revocations.reloadBans(db))
  await Promise.all([
    reloadKeys(),
    appStatuses.reload(db),
    revocations.reload(db),
    revocations.reloadBans(db),
  ])

  return {
    handle: (request, response) =>
      withinOneDeadline(() => requireProvider().handle(request, response)),
    prepareRequest: (request) => {
      request.headers['x-forwarded-proto'] = protocol
    },
    provider: () => requireProvider().provider,
    audience,
    cookieKeys,
    verifyToken: verifier.verify,
    readJwt: (token) => verifier.claims(token).catch(() => undefined),
    introspect,
    claimsOf: (accountId) => findClaims(db, accountId, authUrl),
    announceSignOut: (ended) => {
      deliveries
        .announce(requireProvider().provider, ended)
        .catch((err: unknown) =>
          log.warn({ err }, 'Apps could not be told that somebody has signed out'),
        )
    },
    close: async () => {
      clearTimeout(nextReload)
      await deliveries.stop()
    },
  }
}
