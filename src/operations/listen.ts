import { createServer, type AddressInfo, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { BACKLOG, closeListener } from './close-listener.ts'

const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** Interval, in milliseconds, at which connections that became idle after the listeners were closed are closed. */
const SWEEP_MS = 50

/** Whether an error of `listen` means that the machine has no IPv6. */
export const isWithoutIpv6 = (error: unknown) =>
  error instanceof Error && 'code' in error && NO_IPV6.has(String(error.code))

/**
 * Returns the addresses for a value of HOST. `localhost` means both loopback addresses. Browsers use either one, so a
 * program on the other would be mistaken for this service.
 */
export const addressesOf = (host: string): string[] =>
  host === 'localhost' ? ['127.0.0.1', '::1'] : [host]

/**
 * Makes the app listen on every address of the host. On a machine without IPv6, the IPv6 address is skipped.
 *
 * @returns the URLs of its sockets, a function that only stops accepting connections, and one that stops the app after
 *   the requests in flight
 * @throws {Error} if it cannot listen, with code `EADDRINUSE` if an address is in use
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<{
  addresses: string[]
  closeListeners: () => Promise<void>
  stop: () => Promise<void>
}> {
  const [first = host, other] = addressesOf(host)
  await app.listen({ host: first, port, backlog: BACKLOG })
  const second = other === undefined ? undefined : await listenToo(app, other, port)
  const bound = [...app.addresses(), second?.address()]
  return {
    addresses: bound.flatMap(addressOf),
    async closeListeners() {
      await Promise.all([app.server, ...(second ? [second] : [])].map(closeListener))
    },
    async stop() {
      // Node closes connections that are idle when the server closes, but not those that become idle later.
      const sweeping = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS).unref()
      const closed = second?.listening && new Promise((resolve) => second.close(resolve))
      await app.close()
      await closed
      clearInterval(sweeping)
    },
  }
}

/** Returns no URL for a Unix socket. */
export const addressOf = (bound: AddressInfo | string | null | undefined) =>
  typeof bound === 'object' && bound !== null
    ? [`http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`]
    : []

/**
 * Listens on a second address. The app's server handles these connections as its own, with the same limits and
 * shutdown.
 */
async function listenToo(
  app: FastifyInstance,
  host: string,
  port: number,
): Promise<Server | undefined> {
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  )
  second.maxConnections = app.server.maxConnections
  try {
    await new Promise<void>((listening, fail) => {
      second.once('error', fail)
      second.listen(port, host, BACKLOG, listening)
    })
    return second
  } catch (error) {
    if (isWithoutIpv6(error)) return undefined
    throw error
  }
}
