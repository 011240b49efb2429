import type { IncomingMessage, Server } from 'node:http'
import type { Logger } from 'pino'
import { isPublicAddress } from '../kernel/public-address.ts'

/**
 * Warns once when a reverse proxy seems to stand in front and `TRUSTED_PROXIES` does not count it: every client then has
 * the proxy's address, and all of them share its limits. A client of the public Internet can write the header itself, so
 * only a neighbour that sends it is taken for a proxy.
 */
export function warnForwarded(server: Server, trustedProxies: number, log: Pick<Logger, 'warn'>) {
  if (trustedProxies > 0) return
  const look = ({ headers, socket }: IncomingMessage) => {
    if (headers['x-forwarded-for'] === undefined) return
    // A dual-stack socket shows addresses of IPv4 in their mapped form.
    if (isPublicAddress((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))) return
    server.off('request', look)
    log.warn(
      'Requests come with X-Forwarded-For, and TRUSTED_PROXIES is 0: clients behind the proxy share one address, and with it ' +
        'one limit. Set TRUSTED_PROXIES to the number of reverse proxies in front',
    )
  }
  server.on('request', look)
}
