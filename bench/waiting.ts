import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchMachine } from './support/busy.ts'
import type { Claim } from './support/claim.ts'
import { applicationToken } from './support/service.ts'

/** Number of clients that wait for changes at once. */
const CLIENTS = 5_000
/** Connections that are opened at once. */
const AT_ONCE = 100
/** Maximum additional memory, in mebibytes. */
const MAX_MIB = 60

/** Measures the memory of requests that wait for changes, each on its own connection. */
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
    const path = '/api/v3/open/catalog/changes'
    const headers = { authorization: `Bearer ${token}` }
    // Warms up the code, so that only waiting requests add memory.
    for (let request = 0; request < 2_000; request += 1)
      await (await fetch(`${service.url}${path}?limit=1`, { headers })).arrayBuffer()
    const first = await fetch(`${service.url}${path}?limit=1`, { headers })
    // as: the documented response
    const { data } = (await first.json()) as { data: { latest_id: number } }
    const endWatch = watchMachine()
    const before = service.memory().now
    const { hostname, port } = new URL(service.url)
    const sockets: Socket[] = []
    const request =
      `GET ${path}?since=${data.latest_id}&wait=60 HTTP/1.1\r\nhost: ${hostname}\r\n` +
      `authorization: Bearer ${token}\r\n\r\n`
    let responses = 0
    for (let opened = 0; opened < CLIENTS; opened += AT_ONCE) {
      const batch = Array.from({ length: AT_ONCE }, () => connect(Number(port), hostname))
      await Promise.all(batch.map((socket) => once(socket, 'connect')))
      for (const socket of batch) {
        socket.on('data', () => (responses += 1)).on('error', () => {})
        socket.write(request)
      }
      sockets.push(...batch)
    }
    // By then, the garbage of the requests has been collected.
    await sleep(20_000)
    const added = service.memory().now - before
    const early = responses
    for (const socket of sockets) socket.destroy()
    await service.stop()
    await stage.turns?.pass()
    const mebibytes = added / 2 ** 20
    return [
      {
        row: `memory of ${CLIENTS.toLocaleString('en')} waiting clients`,
        measured: `${Math.round(mebibytes)} MiB${early === 0 ? '' : `, ${early} responded early`}`,
        target: `≤ ${MAX_MIB} MiB`,
        met: mebibytes <= MAX_MIB && early === 0,
        busy: endWatch(),
        series: [{ unit: 'MiB', better: 'less', values: [mebibytes] }],
      },
    ]
  },
}
