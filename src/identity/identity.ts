import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppStatusCache } from '../apps/app-status-cache.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../db/signals.ts'
import { invalidToken } from '../http/wire/refusals.ts'
import type { VerifyToken } from '../http/admission/bearer.ts'
import { findClaims, type AccountClaims } from './claims.ts'
import { ensureCookieKeys } from './provider/cookie-keys.ts'
import { ensureSigningKeys, listSigningKeys, nextKeyChange } from './tokens/keys.ts'
import { makeProvider, type OpenIdProvider } from './provider/provider.ts'
import { TokenVerifier, type AccessTokenClaims } from './tokens/verify-token.ts'
import { RevocationList } from './tokens/revocation-list.ts'

export type Identity = {
  /** Answers a request for the OpenID provider. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  /** Prepares a request for what reads the provider's cookies outside of it. */
  prepareRequest(request: IncomingMessage): void
  /** The provider with the keys of now. */
  provider(): OpenIdProvider
  /** `{api_url}/open`. */
  audience: string
  /** Sign cookies, the first of them new ones. */
  cookieKeys: string[]
  verifyToken: VerifyToken
  /** What a good JWT of ours says; undefined of any other text. */
  readJwt(token: string): Promise<AccessTokenClaims | undefined>
  /**
   * Whose access token that is, JWT or opaque, and what was granted.
   *
   * @throws {ApiError} `AUTH_TOKEN_INVALID`, or `USER_BANNED`
   */
  introspect(token: string): Promise<{ accountId: string; scopes: string[] }>
  /** Undefined: there is no such account, or it is banned. */
  claimsOf(accountId: string): Promise<AccountClaims | undefined>
  close(): void
}

export type IdentityOptions = {
  db: Database
  signals: Signals
  authUrl: string
  apiUrl: string
  secretKey: string | undefined
  /** Is told the app that was given tokens. */
  countToken: (clientId: string) => void
  log: Logger
}

/** The provider, the verifier and the keys of both, kept current with what other processes do. */
export async function openIdentity(options: IdentityOptions): Promise<Identity> {
  const { db, signals, authUrl, apiUrl, secretKey, countToken, log } = options
  const issuer = `${authUrl}/oidc`
  const audience = `${apiUrl}/open`
  const standings = new AppStatusCache()
  const withdrawals = new RevocationList()
  const verifier = new TokenVerifier({ issuer, audience, standings, withdrawals })
  const cookieKeys = await ensureCookieKeys(db, secretKey)
  let current: { provider: OpenIdProvider; handle: Identity['handle'] } | undefined
  let nextReload: NodeJS.Timeout | undefined

  async function reloadKeys() {
    const keys = await listSigningKeys(db, secretKey)
    await verifier.useKeys(keys)
    const provider = makeProvider({ db, issuer, audience, cookieKeys, countToken, log }, keys)
    current = { provider, handle: provider.callback() }
    const change = nextKeyChange(keys)
    clearTimeout(nextReload)
    if (change) nextReload = setTimeout(reloadLater, change.getTime() - Date.now() + 50).unref()
  }

  function reloadLater() {
    reloadKeys().catch((err: unknown) => {
      log.error({ err }, 'Signing keys could not be read; trying again')
      nextReload = setTimeout(reloadLater, 1_000).unref()
    })
  }

  function running() {
    if (!current) throw new Error('The provider is asked before it has keys')
    return current
  }

  async function examineAccessToken(token: string) {
    if (token.split('.').length === 3) {
      const { sub, scope } = await verifier.claims(token)
      return { accountId: sub, scopes: scope.split(' ') }
    }
    const found = await running().provider.AccessToken.find(token)
    const disabled = found?.clientId !== undefined && standings.of(found.clientId)?.enabled === false
    if (!found || disabled) throw invalidToken()
    return { accountId: found.accountId, scopes: [...found.scopes] }
  }

  await ensureSigningKeys(db, secretKey)
  signals.on('signing_keys', reloadKeys)
  signals.on('apps', () => standings.reload(db))
  signals.on('withdrawals', () => withdrawals.reload(db))
  signals.on('bans', () => withdrawals.reloadBans(db))
  await Promise.all([reloadKeys(), standings.reload(db), withdrawals.reload(db), withdrawals.reloadBans(db)])

  return {
    handle: (request, response) => running().handle(request, response),
    prepareRequest: (request) => {
      request.headers['x-forwarded-proto'] = new URL(authUrl).protocol.slice(0, -1)
    },
    provider: () => running().provider,
    audience,
    cookieKeys,
    verifyToken: verifier.verify,
    readJwt: (token) => verifier.claims(token).catch(() => undefined),
    introspect: examineAccessToken,
    claimsOf: (accountId) => findClaims(db, accountId),
    close: () => clearTimeout(nextReload),
  }
}
