import { createServer, type AddressInfo, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { dropBeyondMax } from '../http/wire/connections.ts'

const NO_IPV6 = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

/** How often connections are closed whose last request was answered while stopping. */
const SWEEP_MS = 50

/** Whether that is what a machine without IPv6 says when it is to listen there. */
export const isWithoutIpv6 = (error: unknown) =>
  error instanceof Error && 'code' in error && NO_IPV6.has(String(error.code))

/**
 * Where a setting of HOST listens. `localhost` is both addresses of this machine: browsers take either, and what another
 * program has on one of them would be taken for this service.
 */
export const addressesOf = (host: string): string[] =>
  host === 'localhost' ? ['127.0.0.1', '::1'] : [host]

/**
 * Has the app listen on every address of the host; one of IPv6 is left out where the machine has none.
 *
 * @returns the addresses of its sockets, and the function that stops it when the requests in flight are finished
 * @throws {Error} when it cannot listen; of an address that is taken, `EADDRINUSE`
 */
export async function listen(
  app: FastifyInstance,
  { host, port }: { host: string; port: number },
): Promise<{ addresses: string[]; stop: () => Promise<void> }> {
  const [first = host, other] = addressesOf(host)
  await app.listen({ host: first, port })
  const second = other === undefined ? undefined : await listenToo(app, other, port)
  const bound = [...app.addresses(), second?.address()]
  return {
    addresses: bound.flatMap(addressOf),
    async stop() {
      // Node closes connections that are idle when a server is closed, and keeps those that become so afterwards.
      const sweeping = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS).unref()
      const closed = second && new Promise((resolve) => second.close(resolve))
      await app.close()
      await closed
      clearInterval(sweeping)
    },
  }
}

/** None of a socket that is a file. */
const addressOf = (bound: AddressInfo | string | null | undefined) =>
  typeof bound === 'object' && bound !== null
    ? [`http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`]
    : []

/** The server of the app takes the connections of the second address as its own, with its limits and its end. */
async function listenToo(
  app: FastifyInstance,
  host: string,
  port: number,
): Promise<Server | undefined> {
  const second = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
    app.server.emit('connection', socket),
  )
  second.maxConnections = app.server.maxConnections
  dropBeyondMax(second)
  try {
    await new Promise<void>((listening, fail) => {
      second.once('error', fail)
      second.listen(port, host, listening)
    })
    return second
  } catch (error) {
    if (isWithoutIpv6(error)) return undefined
    throw error
  }
}
