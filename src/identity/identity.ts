import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { AppStandings } from '../apps/standings.ts'
import type { Database } from '../db/database.ts'
import type { Signals } from '../db/signals.ts'
import type { VerifyToken } from '../http/bearer.ts'
import { ensureSigningKeys, listSigningKeys, nextKeyChange } from './keys.ts'
import { makeProvider } from './provider.ts'
import { TokenVerifier } from './verify-token.ts'

export type Identity = {
  /** Answers a request for the OpenID provider. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>
  verifyToken: VerifyToken
  close(): void
}

export type IdentityOptions = {
  db: Database
  signals: Signals
  authUrl: string
  apiUrl: string
  secretKey: string | undefined
  log: Logger
}

/** The provider, the verifier and the keys of both, kept current with what other processes do. */
export async function openIdentity({
  db,
  signals,
  authUrl,
  apiUrl,
  secretKey,
  log,
}: IdentityOptions): Promise<Identity> {
  const issuer = `${authUrl}/oidc`
  const audience = `${apiUrl}/open`
  const standings = new AppStandings()
  const verifier = new TokenVerifier({ issuer, audience, standings })
  let handle: Identity['handle'] | undefined
  let nextReload: NodeJS.Timeout | undefined

  async function reloadKeys() {
    const keys = await listSigningKeys(db, secretKey)
    await verifier.useKeys(keys)
    handle = makeProvider({ db, issuer, audience, log }, keys).callback()
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

  await ensureSigningKeys(db, secretKey)
  signals.on('signing_keys', reloadKeys)
  signals.on('apps', () => standings.reload(db))
  await Promise.all([reloadKeys(), standings.reload(db)])

  return {
    handle: async (request, response) => handle?.(request, response),
    verifyToken: verifier.verify,
    close: () => clearTimeout(nextReload),
  }
}
