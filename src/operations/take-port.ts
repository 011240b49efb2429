import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { addressesOf, isWithoutIpv6 } from './listen.ts'

/**
 * Takes the port before anything is made, so that a start that cannot listen leaves nothing behind. Whoever connects
 * meanwhile is hung up on, as if nobody listened.
 *
 * @returns lets go of it, right before the service takes it
 * @throws {Error} with the code of `listen`, such as `EADDRINUSE`
 */
export async function takePort(host: string, port: number): Promise<() => Promise<void>> {
  const servers = addressesOf(host).map((address) => {
    const server = createServer((socket: Socket) => socket.resetAndDestroy())
    server.listen({ host: address, port }).unref()
    return server
  })
  const letGo = async () => {
    await Promise.all(
      servers
        .filter((server) => server.listening)
        .map((server) => new Promise((closed) => server.close(closed))),
    )
  }
  const taken = await Promise.allSettled(servers.map((server) => once(server, 'listening')))
  for (const [index, result] of taken.entries())
    if (result.status === 'rejected' && !(index > 0 && isWithoutIpv6(result.reason))) {
      await letGo()
      throw result.reason
    }
  return letGo
}
