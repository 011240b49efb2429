import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { isLoopback } from '../../kernel/loopback.ts'
import type { LibraryProvider } from './oidc-provider.ts'
import type { EndedSession } from './storage/session-queries.ts'

/** What the library's types leave out of a client. */
type NotifiedClient = {
  clientId: string
  backchannelLogout(accountId: string, sid: string): Promise<void>
}

/** Requests to apps under way in a process; each takes 2.5 seconds at most. One that finds no place counts as failed. */
const MAX_REQUESTS = 500
/** Deliveries in a process, those that wait for another attempt included; of more than these, apps are not told. */
const MAX_PENDING = 5_000
/** Between the attempts: a restart of the app takes seconds, its deployment a minute. */
const PAUSES_MS = [5_000, 50_000]

type Wait = (milliseconds: number, stopping: AbortSignal) => Promise<unknown>

const waitUnreferenced: Wait = (milliseconds, signal) =>
  sleep(milliseconds, undefined, { signal, ref: false })

/**
 * Tells apps that somebody has signed out (OpenID Connect Back-Channel Logout 1.0), beside the answer: a sign-out never
 * waits for an app, nor fails with it. An app that does not take it is told again twice within a minute, each time with a
 * token of its own. Pending deliveries are kept in memory: they end with the process.
 */
export class LogoutDeliveries {
  readonly #log: Logger
  readonly #wait: Wait
  readonly #pending = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  #requests = 0

  /** @param wait between two attempts; it ends early when the signal is aborted, with an error or without */
  constructor(log: Logger, wait: Wait = waitUnreferenced) {
    this.#log = log
    this.#wait = wait
  }

  /** Has the library's deliveries run here: by itself it would wait for them before it answers. */
  runInBackground(provider: LibraryProvider) {
    // as: an internal the types leave out; the tests of back-channel logout hold it in place
    const prototype = provider.Client.prototype as unknown as NotifiedClient
    const { backchannelLogout } = prototype
    const start = (clientId: string, deliver: () => Promise<void>) => this.#start(clientId, deliver)
    prototype.backchannelLogout = async function notify(accountId, sessionId) {
      start(this.clientId, () => backchannelLogout.call(this, accountId, sessionId))
    }
  }

  /** Tells the apps of sessions that our own pages have ended. */
  async notifyApps(provider: LibraryProvider, ended: EndedSession[]) {
    for (const { accountId, apps } of ended)
      for (const { clientId, sid } of apps) {
        const client = await provider.Client.find(clientId)
        if (client?.backchannelLogoutUri === undefined) continue
        // as: above
        await (client as unknown as NotifiedClient).backchannelLogout(accountId, sid)
      }
  }

  /** Has what waits tried once more, at once, and returns when that has ended. */
  async stop() {
    this.#stopping.abort()
    await Promise.all(this.#pending)
  }

  #start(clientId: string, deliver: () => Promise<void>) {
    if (this.#pending.size >= MAX_PENDING) {
      this.#log.warn({ client_id: clientId }, 'Too many sign-outs at once: an app was not told')
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
          this.#log.warn(about, 'An app took no logout token')
          return
        }
        this.#log.info(about, 'An app took no logout token; it will be sent again')
        await this.#wait(pause, signal).catch(() => {})
      }
  }

  async #attempt(deliver: () => Promise<void>) {
    if (this.#requests >= MAX_REQUESTS) throw new Error('too many at once')
    this.#requests += 1
    try {
      await deliver()
    } finally {
      this.#requests -= 1
    }
  }
}

/**
 * How the library reaches an app's server. Its dispatcher drops connections to addresses that are not public, whatever
 * name led there, so that no app has this service ask its neighbours; a service on a developer's own machine reaches that
 * machine, and no other without TLS.
 *
 * @param issuer where this service is
 */
export function fetchForApps(issuer: string) {
  const isLocal = isLoopback(new URL(issuer).hostname)
  return async (target: string | URL | Request, options: RequestInit = {}) => {
    const url = target instanceof Request ? target.url : target
    const { protocol, hostname } = new URL(url)
    if (isLocal && isLoopback(hostname)) {
      const { dispatcher: _guard, ...unguarded } = options
      return fetch(url, unguarded)
    }
    if (protocol !== 'https:' || isLoopback(hostname) || options.dispatcher === undefined)
      throw new Error(`${hostname} is no public address that can be reached with https`)
    return fetch(url, options)
  }
}
