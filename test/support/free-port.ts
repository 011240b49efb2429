import { randomInt } from 'node:crypto'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'

/** Ports of all test processes. Outgoing connections have higher ones, and could otherwise take a free port. */
const [FIRST, LAST] = [20_000, 31_999]
/** Number of ports of each process. */
const SHARE = 800

let first = FIRST
let taken = randomInt(SHARE)

/**
 * Makes this process use ports that the other processes of a run do not use. A test may stop and restart its program,
 * and another test must not take the port in between.
 *
 * @param worker number of the process, from 1. The process that starts the others is 0.
 */
export function takePortsOf(worker: number) {
  first = FIRST + ((worker * SHARE) % (LAST + 1 - FIRST))
}

/** Returns a free port, and never the same one twice in a row. */
export async function freePort(): Promise<number> {
  for (;;) {
    taken = (taken + 1) % SHARE
    const port = first + taken
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((closed) => server.close(closed))
    if (isFree) return port
  }
}

/** Makes a server listen on a free port of this machine, and returns the port. */
export async function listenLocally(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, host, listening))
  // as: a TCP server has a port
  return (server.address() as AddressInfo).port
}

/** Whether a program accepts connections on a port of this machine. */
export const acceptsConnections = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1').once('error', () => resolve(false))
    socket.once('connect', () => resolve(true)).once('connect', () => socket.destroy())
  })
