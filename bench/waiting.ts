import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchMachine } from './support/busy.ts'
import { startNeverEnding } from './floors/start.ts'
import type { ServerProcess } from './support/children.ts'
import type { Claim } from './support/claim.ts'
import type { Series } from './support/report.ts'
import { applicationToken } from './support/service.ts'

/** Number of clients that wait for changes at once. */
const CLIENTS = 5_000
/** Connections that are opened at once. */
const AT_ONCE = 100
const MAX_MIB = 60
const PATH = '/api/v3/open/catalog/changes'

/** Measures the memory of requests that wait for changes, each on its own connection, against bare `node:http`. */
export const waiting: Claim = {
  name: 'waiting',
  async measure(stage) {
    const catalog = await stage.ownCatalog('waiting')
    const limit = String(2 * CLIENTS)
    const service = await stage.serve(catalog, {
      MAX_WAITING_REQUESTS: limit,
      MAX_WAITING_REQUESTS_PER_APP: limit,
      MAX_CONNECTIONS: limit,
    })
    const token = await applicationToken(service.url, catalog.app, 'catalog:sync')
    const authorization = `Bearer ${token}`
    const response = await fetch(`${service.url}${PATH}?limit=1`, { headers: { authorization } })
    // as: the documented response
    const { data } = (await response.json()) as { data: { latest_id: number } }
    const path = `${PATH}?since=${data.latest_id}&wait=60`
    const endWatch = watchMachine()
    const own = await memoryOfWaiting(service, path, authorization)
    await stage.turns?.pass()
    const row = `memory of ${CLIENTS.toLocaleString('en')} waiting clients`
    const measured = `${Math.round(own.mebibytes)} MiB${own.early === 0 ? '' : `, ${own.early} responded early`}`
    const series: Series[] = [{ unit: 'MiB', better: 'less', values: [own.mebibytes] }]
    if (stage.turns) return [{ row, measured, busy: endWatch(), series }]
    const floor = await memoryOfWaiting(await startNeverEnding(stage), path, authorization)
    const ratio = own.mebibytes / floor.mebibytes
    return [
      {
        row,
        measured,
        floor: `${Math.round(floor.mebibytes)} MiB`,
        ratio: ratio.toFixed(2),
        target: `≤ ${MAX_MIB} MiB`,
        met: own.mebibytes <= MAX_MIB && own.early === 0,
        busy: endWatch(),
        series,
      },
    ]
  },
}

/** Measures the memory that unanswered requests take in a server, each on its own connection, and stops the server. */
async function memoryOfWaiting(server: ServerProcess, path: string, authorization: string) {
  // Warms up the code, so that only waiting requests add memory.
  for (let request = 0; request < 2_000; request += 1)
    await (
      await fetch(`${server.url}${PATH}?limit=1`, { headers: { authorization } })
    ).arrayBuffer()
  const before = server.memory().now
  const { hostname, port } = new URL(server.url)
  const sockets: Socket[] = []
  const request = `GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\n\r\n`
  let early = 0
  for (let opened = 0; opened < CLIENTS; opened += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, () => connect(Number(port), hostname))
    await Promise.all(batch.map((socket) => once(socket, 'connect')))
    for (const socket of batch) {
      socket.on('data', () => (early += 1)).on('error', () => {})
      socket.write(request)
    }
    sockets.push(...batch)
  }
  // By then, the garbage of the requests has been collected.
  await sleep(20_000)
  const mebibytes = (server.memory().now - before) / 2 ** 20
  const result = { mebibytes, early }
  for (const socket of sockets) socket.destroy()
  await server.stop()
  return result
}
