import type { Logger } from 'pino'
import { isLoopback } from '../../kernel/loopback.ts'
import type { Provider } from './oidc-provider.ts'
import type { EndedSession } from './session-queries.ts'

type OpenIdProvider = InstanceType<typeof Provider>
/** What the library's types leave out of a client. */
type NotifiedClient = { clientId: string; backchannelLogout(accountId: string, sid: string): Promise<void> }

/** Deliveries under way in a process; of more than these, apps are not told. Each takes 2.5 seconds at most. */
const MAX_PENDING = 500

/**
 * Tells apps that somebody has signed out (OpenID Connect Back-Channel Logout 1.0), beside the answer: a sign-out never
 * waits for an app, nor fails with it. Each is told once, and what it answers is only logged.
 */
export class LogoutDeliveries {
  readonly #log: Logger
  readonly #pending = new Set<Promise<void>>()

  constructor(log: Logger) {
    this.#log = log
  }

  /** Has the library's deliveries run here: by itself it would wait for them before it answers. */
  detach(provider: OpenIdProvider) {
    // as: an internal the types leave out; the tests of back-channel logout hold it in place
    const prototype = provider.Client.prototype as unknown as NotifiedClient
    const { backchannelLogout } = prototype
    const start = (clientId: string, deliver: () => Promise<void>) => this.#start(clientId, deliver)
    prototype.backchannelLogout = async function notify(accountId, sessionId) {
      start(this.clientId, () => backchannelLogout.call(this, accountId, sessionId))
    }
  }

  /** Tells the apps of sessions that our own pages have ended. */
  async announce(provider: OpenIdProvider, ended: EndedSession[]) {
    for (const { accountId, apps } of ended)
      for (const { clientId, sid } of apps) {
        const client = await provider.Client.find(clientId)
        if (client?.backchannelLogoutUri === undefined) continue
        // as: above
        await (client as unknown as NotifiedClient).backchannelLogout(accountId, sid)
      }
  }

  /** Returns when the deliveries under way have ended. */
  async settle() {
    await Promise.all(this.#pending)
  }

  #start(clientId: string, deliver: () => Promise<void>) {
    if (this.#pending.size >= MAX_PENDING) {
      this.#log.warn({ client_id: clientId }, 'Too many sign-outs at once: an app was not told')
      return
    }
    const delivery = deliver()
      .catch((err: unknown) => this.#log.info({ err, client_id: clientId }, 'An app took no logout token'))
      .finally(() => this.#pending.delete(delivery))
    this.#pending.add(delivery)
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
