import type { FastifyInstance } from 'fastify'
import { isLoopback } from '../../../kernel/loopback.ts'
import { asksForPage } from '../requests/asks-for-page.ts'

/**
 * Sends a browser that asks for a page under another name of this machine to the configured one: cookies, forms and
 * passkeys are of one name alone. Programs, which take no pages, are answered under any.
 *
 * @param configured where pages are; when that is not on this machine, nothing is done
 */
export function redirectToOneLoopbackName(app: FastifyInstance, configured: string) {
  const { host, hostname, port } = new URL(configured)
  if (!isLoopback(hostname)) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, url } = request.raw
    if (headers.host === host || method !== 'GET' || !asksForPage(request)) return done()
    const asked = URL.parse(`http://${headers.host}`)
    const isOtherName = asked && asked.hostname !== hostname && isLoopback(asked.hostname)
    // Another port leads here through something that may not know the configured one.
    if (!isOtherName || asked.port !== port || url?.startsWith('/') !== true) return done()
    void reply.header('cache-control', 'no-store').redirect(configured + url, 307)
  })
}
