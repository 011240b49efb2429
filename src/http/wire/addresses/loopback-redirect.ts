import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../../../kernel/networks.ts'
import { requestsPage } from '../requests/requests-page.ts'

/**
 * Redirects page requests for another loopback name to the configured one, because cookies, forms and passkeys are
 * bound to a single name. Other requests are served under any name.
 *
 * @param configured base URL of the pages; if it is not a loopback URL, nothing is redirected
 */
export function redirectToOneLoopbackName(app: FastifyInstance, configured: string) {
  const { host, hostname, port } = new URL(configured)
  if (!isLoopback(hostname)) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, url } = request.raw
    if (headers.host === host || method !== 'GET' || !requestsPage(request)) return done()
    const requested = URL.parse(`http://${headers.host}`)
    const isOtherName =
      requested && requested.hostname !== hostname && isLoopback(requested.hostname)
    // A different port suggests port forwarding, through which the configured name may not be reachable.
    if (!isOtherName || requested.port !== port || url?.startsWith('/') !== true) return done()
    void reply.header('cache-control', 'no-store').redirect(configured + url, 307)
  })
}
