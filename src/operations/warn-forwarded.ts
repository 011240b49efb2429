import type { IncomingMessage, Server } from 'node:http'
import type { Logger } from 'pino'
import { isPublicAddress } from '../kernel/networks.ts'

/** Warnings about a wrong `TRUSTED_PROXIES`. */
const WARNINGS = {
  none:
    'Requests have X-Forwarded-For headers, but TRUSTED_PROXIES is 0: all clients behind the proxy share one IP address and ' +
    'its limits. Set TRUSTED_PROXIES to the number of reverse proxies',
  tooFew:
    'X-Forwarded-For names more reverse proxies than TRUSTED_PROXIES: all clients behind the outer one share one IP address ' +
    'and its limits. Set TRUSTED_PROXIES to the number of reverse proxies',
  tooMany:
    'X-Forwarded-For has fewer entries than TRUSTED_PROXIES: clients can forge their IP address. Set TRUSTED_PROXIES to the ' +
    'number of reverse proxies',
}

/**
 * Warns once if `TRUSTED_PROXIES` does not seem to be the number of reverse proxies. Internet clients can forge entries, so
 * only an address of a private network counts as a proxy.
 */
export function warnForwarded(server: Server, trustedProxies: number, log: Pick<Logger, 'warn'>) {
  const check = ({ headers, socket }: IncomingMessage) => {
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return
    const fault = findFault(String(forwarded), socket.remoteAddress ?? '', trustedProxies)
    if (!fault) return
    server.off('request', check)
    log.warn(WARNINGS[fault])
  }
  server.on('request', check)
}

function findFault(
  forwarded: string,
  sender: string,
  trustedProxies: number,
): keyof typeof WARNINGS | undefined {
  const entries = forwarded.split(',').map((entry) => entry.trim())
  if (entries.length < trustedProxies) return 'tooMany'
  // The address that counts as the client's, preceded by the entries that the client sent.
  const client = [...entries, sender].at(-1 - trustedProxies) ?? ''
  const hasSent = entries.length > trustedProxies
  // A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6 addresses.
  if (!hasSent || isPublicAddress(client.replace(/^::ffff:/, ''))) return undefined
  return trustedProxies === 0 ? 'none' : 'tooFew'
}
