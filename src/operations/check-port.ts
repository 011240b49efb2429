import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { BACKLOG, closeListener } from './close-listener.ts'
import { addressesOf, addressOf, isWithoutIpv6 } from './listen.ts'

/** A port that was free at startup. */
export type CheckedPort = {
  /**
   * Accepts connections, which are not read from.
   *
   * @returns the URLs of the sockets
   * @throws {Error} with the code of `listen` if another program has taken the port since
   */
  accept(onConnection: (socket: Socket) => void): Promise<string[]>
  /** Stops accepting connections, after those that have arrived. */
  close(): Promise<void>
}

/**
 * Checks that the port is free before anything else is created, so that a start that cannot listen leaves nothing
 * behind. The port is not kept: a proxy would connect to it during startup, and a request that was sent to a process
 * that cannot serve it yet is lost.
 *
 * @throws {Error} with the code of `listen`, such as `EADDRINUSE`
 */
export async function checkPort(host: string, port: number): Promise<CheckedPort> {
  const probes = await listenAll(host, port, (socket) => socket.resetAndDestroy())
  await closeAll(probes.servers)
  let servers: Server[] = []
  return {
    async accept(onConnection) {
      const listening = await listenAll(host, port, onConnection)
      servers = listening.servers
      return listening.addresses
    },
    async close() {
      await Promise.all(servers.map(closeListener))
    },
  }
}

/** Listens on every address of the host. On a machine without IPv6, the IPv6 address is skipped. */
async function listenAll(host: string, port: number, onConnection: (socket: Socket) => void) {
  const servers = addressesOf(host).map((address) =>
    createServer({ pauseOnConnect: true }, onConnection).listen({
      host: address,
      port,
      backlog: BACKLOG,
    }),
  )
  const taken = await Promise.allSettled(servers.map((server) => once(server, 'listening')))
  for (const [index, result] of taken.entries())
    if (result.status === 'rejected' && !(index > 0 && isWithoutIpv6(result.reason))) {
      await closeAll(servers)
      throw result.reason
    }
  const addresses = servers.flatMap((server) => addressOf(server.address()))
  return { addresses, servers }
}

async function closeAll(servers: Server[]) {
  await Promise.all(
    servers
      .filter((server) => server.listening)
      .map((server) => new Promise((closed) => server.close(closed))),
  )
}
