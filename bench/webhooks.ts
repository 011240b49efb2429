import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { startReceiver } from '#test/webhooks.ts'
import type { Database } from '../src/db/database.ts'
import { createEndpoint } from '../src/webhooks/endpoint-queries.ts'
import type { WebhookEvent } from '../src/webhooks/events.ts'
import { watchMachine } from './support/busy.ts'
import { onCatalog } from './support/catalog.ts'
import type { Claim } from './support/claim.ts'
import { addUsers } from './support/fill-ratings.ts'
import { toLatencyResult, type Result } from './support/report.ts'
import type { Stage } from './support/stage.ts'
import { userTokens } from './support/user-tokens.ts'

/** Maximum p95, in milliseconds. Changes of the catalog reach the feed before they reach apps. */
const MAX_MS = { 'record.changed': 1_000, 'catalog.changed': 2_000 }
/** Minimum time, in milliseconds, between two writes. Apps get at most one `catalog.changed` a second. */
const INTERVAL_MS = 1_100
/** Maximum additional time, so that writes are spread over the period of each background task. */
const SPREAD_MS = 1_000
/** Time, in milliseconds, after which a delivery counts as lost. */
const LOST_AFTER_MS = 60_000

type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** Measures the time from the acknowledgement of a write to the request at the receiver of an app. */
export const webhooks: Claim = {
  name: 'webhooks',
  async measure(stage) {
    const catalog = await stage.ownCatalog('webhooks')
    const users = await addUsers(catalog, 1)
    const receiver = await startReceiver()
    const service = await stage.serve(catalog)
    try {
      const [token = ''] = await userTokens(service, users)
      return await onCatalog(catalog, async (db) => {
        await addEndpoints(db, users.app.clientId, receiver)
        const rate = async (turn: number) => {
          const response = await fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
            method: 'PUT',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            body: JSON.stringify({ status: 'COMPLETED', rate: 1 + (turn % 10) }),
          })
          if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
        }
        const edit = (turn: number) =>
          sql`update galgames set origin_title = ${`Title ${turn}`} where id = 1`.execute(db)
        return [
          await measureEvent(stage, receiver, 'record.changed', rate),
          await measureEvent(stage, receiver, 'catalog.changed', edit),
        ]
      })
    } finally {
      await service.stop()
      receiver.close()
    }
  },
}

/** Creates an endpoint for each event, at a path with its name. The app gets an owner, which endpoints require. */
async function addEndpoints(db: Database, clientId: string, { url }: Receiver) {
  const { rows } = await sql<{ account_id: number }>`
    update apps set account_id = (select max(id) from accounts) where client_id = ${clientId}
    returning account_id`.execute(db)
  const owner = { accountId: rows[0]?.account_id ?? 0, clientId, origin: {} }
  for (const event of ['record.changed', 'catalog.changed'] as const) {
    const change = { url: `${url}/${event}`, events: [event] }
    const created = await createEndpoint(db, owner, change, undefined)
    if ('fault' in created) throw new Error(`No endpoint: ${created.fault}`)
  }
}

async function measureEvent(
  stage: Stage,
  receiver: Receiver,
  event: WebhookEvent & keyof typeof MAX_MS,
  write: (turn: number) => Promise<unknown>,
): Promise<Result> {
  const endWatch = watchMachine()
  const times: number[] = []
  const writes = stage.quick ? 30 : 200
  // The first one warms up the code.
  for (let turn = 0; turn <= writes; turn += 1) {
    const lost = AbortSignal.timeout(LOST_AFTER_MS)
    const arrival = new Promise<number>((arrive, fail) => {
      lost.addEventListener('abort', () => fail(new Error(`No delivery of ${event}`)))
      receiver.respond(`/${event}`, (response) => {
        arrive(performance.now())
        response.writeHead(204).end()
      })
    })
    await write(turn)
    const acknowledged = performance.now()
    const waited = (await arrival) - acknowledged
    if (turn > 0) times.push(waited)
    await sleep(INTERVAL_MS + Math.random() * SPREAD_MS)
    await stage.turns?.pass()
  }
  const row = `${event} webhook, from the response to the write until it is delivered`
  return toLatencyResult(row, times, endWatch(), MAX_MS[event])
}
