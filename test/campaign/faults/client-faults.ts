import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { repeatEvery, type CampaignFault, type OpenFaultGroup } from './fault.ts'

/** Number of silent connections, and of connections kept after a request. */
const CONNECTIONS = 2_000
/** Number of connections with a slow head, and of those with a slow body. */
const SLOW_CLIENTS = 500
/** Interval, in milliseconds, at which a slow client sends a byte or a header. */
const SLOW_MS = 1_000
/** Time, in milliseconds, within which the service must have closed slow connections; twice its limit for a body. */
const MAX_SLOW_MS = 60_000
/** File descriptors of a process besides those connections. */
const OTHER_FILES = 500

/** Opens the faults of clients. Other clients must not notice them. */
export const openClientFaults: OpenFaultGroup = async () => ({
  faults: [
    {
      name: `${CONNECTIONS} silent and ${CONNECTIONS} kept connections`,
      expects: 'served',
      lastsMs: 5_000,
      async begin({ port }) {
        if (maxFiles() < 2 * CONNECTIONS + OTHER_FILES) return 'the limit of open files is too low'
        const silent = await open(port, CONNECTIONS)
        const kept = await open(port, CONNECTIONS)
        const answers = kept.map((socket) => once(socket, 'data'))
        for (const socket of kept) socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n')
        await Promise.all(answers)
        return () => closeAll([...silent, ...kept])
      },
    },
    slowClients('heads', 'GET /galgames HTTP/1.1\r\nHost: a\r\n', 'X-Slow: a\r\n'),
    slowClients(
      'bodies',
      'POST /oidc/token HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n',
      'a',
    ),
  ],
  mode: {},
  close: async () => {},
})

/** Returns the fault of clients that send the start of a request, and then the rest very slowly. */
const slowClients = (name: string, start: string, rest: string): CampaignFault => ({
  name: `${SLOW_CLIENTS} slow ${name}`,
  expects: 'served',
  lastsMs: SLOW_MS,
  isSlow: true,
  async begin({ port }) {
    const sockets = await open(port, SLOW_CLIENTS)
    for (const socket of sockets) socket.write(start)
    const stop = repeatEvery(SLOW_MS, () => {
      for (const socket of sockets) if (!socket.destroyed) socket.write(rest)
    })
    return async () => {
      const held = () => sockets.filter(({ destroyed }) => !destroyed).length
      for (const deadline = Date.now() + MAX_SLOW_MS; held() > 0 && Date.now() < deadline;)
        await sleep(100)
      await stop()
      const left = held()
      closeAll(sockets)
      if (left > 0) throw new Error(`${left} connections were not closed`)
    }
  },
})

async function open(port: number, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1').resume())
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  for (const socket of sockets) socket.on('error', () => {})
  return sockets
}

const closeAll = (sockets: Socket[]) => sockets.forEach((socket) => socket.destroy())

/** Returns the maximum number of files that a process may open. */
const maxFiles = () =>
  Number(/^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? 0)
