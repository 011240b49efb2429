import { isLoopback } from '../kernel/networks.ts'
import { fetchOutbound } from './fetch-outbound.ts'
import type { Resolve } from './public-lookup.ts'
import { fetchPublic } from './request-outbound.ts'

/**
 * Returns `fetch` for the servers of apps: logout tokens and webhooks. Connects only to public addresses, whatever the
 * host name, so that apps cannot reach this service's network. The guard of the OpenID library is not used, because it
 * cannot see behind a proxy. A service on a developer's own machine can also reach that machine, and other hosts only
 * over TLS.
 *
 * @param issuer URL of this service
 * @param resolve replaces DNS in tests
 */
export function fetchForApps(issuer: string, resolve?: Resolve) {
  const isLocal = isLoopback(new URL(issuer).hostname)
  return async (target: string | URL | Request, options: RequestInit = {}) => {
    const url = new URL(target instanceof Request ? target.url : target)
    const { protocol, hostname } = url
    if (isLocal && isLoopback(hostname)) {
      const { dispatcher: _guard, ...unguarded } = options
      return fetchOutbound(url, unguarded)
    }
    if (protocol !== 'https:' || isLoopback(hostname))
      throw new Error(`${hostname} is not a public https host`)
    return fetchPublic(url, options, resolve)
  }
}
