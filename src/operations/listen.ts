import { createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What a machine without IPv6 says when it is to listen there. */
const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/**
 * Has the app listen. `localhost` is both addresses of this machine: browsers take either, and what another program has
 * on one of them would be taken for this service.
 *
 * @returns the function that stops it when the requests in flight are finished
 * @throws {Error} when it cannot listen; of an address that is taken, `EADDRINUSE`
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<() => Promise<void>> {
  const both = host === 'localhost'
  await app.listen({ host: both ? '127.0.0.1' : host, port })
  const second = both ? await listenToo(app, port) : undefined
  return async () => {
    const closed = second && new Promise((resolve) => second.close(resolve))
    await app.close()
    await closed
  }
}

/** The server of the app takes the connections of the second address as its own, with its limits and its end. */
async function listenToo(app: FastifyInstance, port: number): Promise<Server | undefined> {
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  )
  try {
    await new Promise<void>((listening, fail) => {
      second.once('error', fail)
      second.listen(port, '::1', listening)
    })
    return second
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_IPV6.has(String(error.code))) return undefined
    throw error
  }
}
