import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { addressesOf, isWithoutIpv6 } from './listen.ts'

/**
 * Reserves the port before anything else is created, so that a start that cannot listen leaves nothing behind.
 * Connections to the reserved port are reset, as if no program listened.
 *
 * @returns a function that releases the port, to be called right before the service listens
 * @throws {Error} with the code of `listen`, such as `EADDRINUSE`
 */
export async function takePort(host: string, port: number): Promise<() => Promise<void>> {
  const servers = addressesOf(host).map((address) => {
    const server = createServer((socket: Socket) => socket.resetAndDestroy())
    server.listen({ host: address, port }).unref()
    return server
  })
  const releasePort = async () => {
    await Promise.all(
      servers
        .filter((server) => server.listening)
        .map((server) => new Promise((closed) => server.close(closed))),
    )
  }
  const taken = await Promise.allSettled(servers.map((server) => once(server, 'listening')))
  for (const [index, result] of taken.entries())
    if (result.status === 'rejected' && !(index > 0 && isWithoutIpv6(result.reason))) {
      await releasePort()
      throw result.reason
    }
  return releasePort
}
