import { readFileSync } from 'node:fs'
import { connect, Server, type AddressInfo, type Socket } from 'node:net'

/**
 * Maximum number of connections that wait to be accepted, if the system allows as many. Clients retry further ones only
 * after a second or more.
 */
export const BACKLOG = 4_096

/** Time, in milliseconds, after which the listener is closed anyway. */
export const MAX_CLOSING_MS = 4_000
/** Own connections that are added to a queue. Another connection may take the place of one. */
const ADDED = 2

/** States of connections in `/proc/net/tcp`. */
const ESTABLISHED = '01'
const SYN_RECEIVED = '03'
const CLOSED_BY_PEER = '08'

/** Address to which a listener on all addresses can be connected. */
const LOOPBACK: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The handle that can change the length of its queue. Node's types omit it. */
type WithHandle = { _handle?: { listen(backlog: number): number } | null }

/**
 * Closes a listener without resetting connections that have arrived. The kernel resets those that wait for `accept`,
 * although their clients may have sent a request. A full queue admits no further connection; those clients retry, and find
 * the port closed. This process therefore connects to itself, sets the length of the queue to 0, and closes the listener
 * once only its own connection waits. Only Linux shows whose connections wait; elsewhere, and on a Unix socket, the
 * listener is closed right after a quiet turn of the event loop.
 */
export async function closeListener(server: Server): Promise<void> {
  const address = server.address()
  const own: Socket[] = []
  if (typeof address !== 'object' || !address || process.platform !== 'linux')
    await waitForQuietTurn()
  else await untilOnlyOwnWait(server, address, own)
  // The method of the HTTP server would also close idle connections.
  Server.prototype.close.call(server)
  for (const socket of own) socket.destroy()
}

/**
 * Waits until only connections of this process are in the queue, which admits no others. Resolves in the same turn of
 * the event loop. A turn accepts one connection, the one that has waited the longest.
 */
async function untilOnlyOwnWait(server: Server, address: AddressInfo, own: Socket[]) {
  // as: an open server has a handle
  const admit = (length: number) => void (server as WithHandle)._handle?.listen(length)
  const isOwn = ({ peerPort }: Waiting) => own.some(({ localPort }) => localPort === peerPort)
  for (const end = performance.now() + MAX_CLOSING_MS; performance.now() < end;) {
    const waiting = listWaiting(address)
    if (!waiting) return waitForQuietTurn()
    const others = waiting.filter((connection) => !isOwn(connection))
    if (waiting.length > 0 && others.length === 0) return
    if (others.length === waiting.length) {
      admit(waiting.length + ADDED - 1)
      for (let count = 0; count < ADDED; count += 1) own.push(connectTo(address))
      // Node connects in the next tick.
      await new Promise<void>((resolve) => process.nextTick(resolve))
    }
    // Handshakes that have begun need room to end.
    admit(others.every(({ state }) => state === SYN_RECEIVED) ? others.length : 0)
    // The list contains all connections of the machine, so it is not read in every turn.
    for (let turn = 0; turn < Math.max(1, others.length); turn += 1)
      await new Promise((resolve) => void setImmediate(resolve))
  }
}

const connectTo = ({ address, port }: AddressInfo) =>
  connect({ host: LOOPBACK[address] ?? address, port }).on('error', () => {})

type Waiting = { state: string; peerPort: number }

/**
 * Lists connections that wait for `accept` or are about to. Undefined if the system does not list them. Rows of `/proc/net/tcp`
 * are `sl local_address rem_address st tx_queue:rx_queue tr:tm retransmits uid timeout inode`, with ports and states in
 * hexadecimal. A connection gets its inode when it is accepted.
 */
function listWaiting({ family, port }: AddressInfo): Waiting[] | undefined {
  const text = readText(family === 'IPv6' ? '/proc/net/tcp6' : '/proc/net/tcp')
  const ending = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return text?.split('\n').flatMap((line) => {
    const [, local, peer = '', state = '', , , , , , inode] = line.trim().split(/ +/)
    const waits = [ESTABLISHED, SYN_RECEIVED, CLOSED_BY_PEER].includes(state) && inode === '0'
    if (!waits || !local?.endsWith(ending)) return []
    return [{ state, peerPort: Number.parseInt(peer.slice(peer.indexOf(':') + 1), 16) }]
  })
}

function readText(file: string) {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}

/** Maximum duration, in milliseconds, of a turn of the event loop in which nothing happened. */
const QUIET_MS = 0.3
/** Time, in milliseconds, after which a busy event loop is not waited for any longer. */
const MAX_NOISE_MS = 250

/**
 * Resolves right after a turn of the event loop that found nothing to do, so that no connection and no bytes wait to
 * be read. Closing a listener or a connection resets what waits. On a busy event loop, resolves after a while anyway.
 */
export async function waitForQuietTurn(): Promise<void> {
  const end = performance.now() + MAX_NOISE_MS
  for (let began = Infinity; ;) {
    await new Promise((resolve) => void setImmediate(resolve))
    const now = performance.now()
    if (now - began < QUIET_MS || (began !== Infinity && now > end)) return
    began = now
  }
}
