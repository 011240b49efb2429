import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isDocumentUrl } from '../../apps/rules/client-documents.ts'
import type { LibraryProvider } from './oidc-provider.ts'
import type { EndedSession } from './storage/session-queries.ts'

/** Part of a client that the library's types omit. */
type NotifiedClient = {
  clientId: string
  backchannelLogout(accountId: string, sid: string): Promise<void>
}

/** Maximum concurrent requests to apps per process, each lasting at most 2.5 seconds. Further attempts fail. */
const MAX_REQUESTS = 500
/** Maximum pending deliveries per process, including retries. Further ones are dropped. */
const MAX_PENDING = 5_000
/** Pauses before each retry: a restart of an app takes seconds, and a deployment up to a minute. */
const PAUSES_MS = [5_000, 50_000]

type Wait = (milliseconds: number, stopping: AbortSignal) => Promise<unknown>

const waitUnreferenced: Wait = (milliseconds, signal) =>
  sleep(milliseconds, undefined, { signal, ref: false })

/**
 * Notifies apps in the background when users sign out (OpenID Connect Back-Channel Logout 1.0), so that signing out
 * neither waits for an app nor fails because of one. Retries a rejected delivery twice within a minute, each time with
 * a new logout token. Pending deliveries are in memory only, and end with the process.
 */
export class LogoutDeliveries {
  readonly #log: Logger
  readonly #wait: Wait
  readonly #pending = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #requests = 0

  /** @param wait waits between two attempts, and ends early when the signal is aborted */
  constructor(log: Logger, wait: Wait = waitUnreferenced) {
    this.#log = log
    this.#wait = wait
  }

  /**
   * Makes the library use these deliveries instead of its own. By default, the library waits for its deliveries before
   * it responds.
   */
  runInBackground(provider: LibraryProvider) {
    // as: an internal that the types omit; the tests of back-channel logout check it
    const prototype = provider.Client.prototype as unknown as NotifiedClient
    const { backchannelLogout } = prototype
    const start = (clientId: string, deliver: () => Promise<void>) => this.#start(clientId, deliver)
    prototype.backchannelLogout = async function notify(accountId, sessionId) {
      start(this.clientId, () => backchannelLogout.call(this, accountId, sessionId))
    }
  }

  /** Notifies the apps of sessions that ended on our own pages. */
  async notifyApps(provider: LibraryProvider, ended: EndedSession[]) {
    for (const { accountId, apps } of ended)
      for (const { clientId, sid } of apps) {
        // Documents cannot register a URL for logout tokens.
        if (isDocumentUrl(clientId)) continue
        const client = await provider.Client.find(clientId)
        if (client?.backchannelLogoutUri === undefined) continue
        // as: see above
        await (client as unknown as NotifiedClient).backchannelLogout(accountId, sid)
      }
  }

  /** Makes a last attempt at each pending delivery at once, and waits for it. */
  async stop() {
    this.#stopping.abort()
    await Promise.all(this.#pending)
  }

  #start(clientId: string, deliver: () => Promise<void>) {
    if (this.#pending.size >= MAX_PENDING) {
      this.#log.warn(
        { client_id: clientId },
        'Too many pending logout tokens: an app was not notified',
      )
      return
    }
    const delivery = this.#deliver(clientId, deliver).finally(() => this.#pending.delete(delivery))
    this.#pending.add(delivery)
  }

  async #deliver(clientId: string, deliver: () => Promise<void>) {
    const { signal } = this.#stopping
    for (const [earlier, pause] of [...PAUSES_MS, undefined].entries())
      try {
        return await this.#attempt(deliver)
      } catch (err) {
        const about = { err, client_id: clientId, attempts: earlier + 1 }
        if (pause === undefined || signal.aborted) {
          this.#log.warn(about, 'An app rejected a logout token')
          return
        }
        this.#log.info(about, 'An app rejected a logout token; retrying')
        await this.#wait(pause, signal).catch(() => {})
      }
  }

  async #attempt(deliver: () => Promise<void>) {
    if (this.#requests >= MAX_REQUESTS) throw new Error('Too many concurrent requests')
    this.#requests += 1
    try {
      await deliver()
    } finally {
      this.#requests -= 1
    }
  }
}
