import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/**
 * Takes the port before anything is made, so that a start that cannot listen leaves nothing behind. Whoever connects
 * meanwhile is hung up on, as if nobody listened.
 *
 * @returns lets go of it, right before the service takes it
 * @throws {Error} with the code of `listen`, such as `EADDRINUSE`
 */
export async function takePort(host: string, port: number): Promise<() => Promise<void>> {
  const server = createServer((socket: Socket) => socket.resetAndDestroy())
  server.listen({ host, port })
  await once(server, 'listening')
  server.unref()
  return async () => {
    server.close()
    await once(server, 'close')
  }
}
