import type { IncomingMessage, Server } from 'node:http'
import type { Logger } from 'pino'
import { isPublicAddress } from '../kernel/public-address.ts'

/**
 * Warns once if `TRUSTED_PROXIES` seems to omit a reverse proxy: all clients would then have the proxy's address and share
 * its limits. Internet clients can forge the header, so only a sender on a private network counts as a proxy.
 */
export function warnForwarded(server: Server, trustedProxies: number, log: Pick<Logger, 'warn'>) {
  if (trustedProxies > 0) return
  const check = ({ headers, socket }: IncomingMessage) => {
    if (headers['x-forwarded-for'] === undefined) return
    // A dual-stack socket reports IPv4 addresses as IPv4-mapped IPv6 addresses.
    if (isPublicAddress((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))) return
    server.off('request', check)
    log.warn(
      'Requests have X-Forwarded-For headers, but TRUSTED_PROXIES is 0: all clients behind the proxy share one IP address and ' +
        'its limits. Set TRUSTED_PROXIES to the number of reverse proxies',
    )
  }
  server.on('request', check)
}
