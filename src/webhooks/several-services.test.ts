import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { createUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnService } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { startReceiver, type Receiver } from '#test/webhooks.ts'
import type { Database } from '../db/database.ts'
import { createEndpoint } from './endpoint-queries.ts'
import type { WebhookEvent } from './events.ts'

/** Number of times that a service is killed. `WEBHOOK_KILLS` sets it for long runs. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2)
/** Maximum time, in milliseconds, after which a service is killed while it reports changes. */
const MAX_UPTIME_MS = 1_000
/** Time limit of the kills, in milliseconds, for a machine with other work. */
const LIMIT_MS = 300_000 + KILLS * 10_000

describe('several services with webhooks', () => {
  let database: TestDatabase
  let receiver: Receiver
  before(async () => {
    database = await createDatabase('server', 'sample')
    receiver = await startReceiver()
  })
  after(async () => {
    receiver.close()
    await database.remove()
  })

  /** Creates an endpoint, and returns a function that adds deliveries to it. */
  async function endpointAt(
    { db, createApp }: TestService,
    path: string,
    events: WebhookEvent[] = ['app.revoked'],
  ) {
    const owner = await createUser({ db })
    const { clientId } = await createApp({ accountId: owner.id, scopes: ['status:read'] })
    const created = await createEndpoint(
      db,
      { accountId: owner.id, clientId, origin: {} },
      { url: receiver.url + path, events },
      undefined,
    )
    assert.ok('id' in created)
    const add = (count: number) =>
      sql`
        insert into webhook_deliveries (endpoint_id, event, data)
        select ${created.id}, 'webhook.test', '{}' from generate_series(1, ${count})`.execute(db)
    return { clientId, add }
  }
  const idsAt = (path: string) => receiver.at(path).map(({ headers }) => headers['webhook-id'])
  type Data = { sub: string; changes: { work_id: number }[]; since: number; latest_id: number }
  /** Returns the data of each delivery that has arrived, once even if it was repeated. */
  const dataAt = (path: string) => [
    ...new Map(
      receiver.at(path).map(({ headers, body }) => [
        headers['webhook-id'],
        // as: the body of an event
        (JSON.parse(body) as { data: Data }).data,
      ]),
    ).values(),
  ]

  /** Returns the changed records that have arrived, each as user and work. */
  const recordsAt = (path: string) =>
    dataAt(path).flatMap(({ sub, changes }) => changes.map(({ work_id: work }) => `${sub}/${work}`))
  /** Records the change of a rating. */
  const change = (db: Database, accountId: number, workId: number) =>
    sql`
      insert into rating_changes (account_id, work_id, kind, action, fields)
      values (${accountId}, ${workId}, 'galgame', 'CHANGED', '{"rate": {}}')`.execute(db)
  /** Creates a user who has allowed an app to see the user's records. */
  async function createReader(db: Database, clientId: string) {
    const { id } = await createUser({ db })
    await sql`
      insert into consents (account_id, client_id, scopes)
      values (${id}, ${clientId}, '["status:read"]')`.execute(db)
    return id
  }
  /** Waits until a service follows the history of ratings: it does not report older changes. */
  const isFollowing = (db: Database) =>
    eventually(async () => {
      const { rows } = await sql`
        select from webhook_position where snapshot is not null`.execute(db)
      return rows.length === 1
    }, 'a position in the history')

  it('send each delivery once', async () => {
    const one = await startService({ engine: 'server', database })
    const other = await startService({ engine: 'server', database })
    const { add } = await endpointAt(one, '/once')
    await add(40)
    await eventually(async () => new Set(idsAt('/once')).size === 40, '40 deliveries')
    await other.close()
    await one.close()
    assert.equal(idsAt('/once').length, 40)
  })

  it(
    `lose no delivery when a service is killed ${KILLS} times`,
    { timeout: LIMIT_MS },
    async () => {
      const one = await startService({
        engine: 'server',
        database,
        environment: { WEBHOOKS: 'off' },
      })
      const { add } = await endpointAt(one, '/killed')
      receiver.respond('/killed', (response) => setTimeout(() => response.writeHead(200).end(), 5))
      const environment = {
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        OVERLOAD_PROTECTION: 'off',
      }
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await add(50)
        const killed = await spawnService(environment)
        const before_ = receiver.at('/killed').length
        await eventually(async () => receiver.at('/killed').length > before_ + 5, 'some deliveries')
        await killed.stop('SIGKILL')
        // Leases of the killed process would delay the end of the test.
        await sql`
        update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`.execute(
          one.db,
        )
      }
      const last = await spawnService(environment)
      const made = () => new Set(idsAt('/killed')).size
      // Most deliveries of a long loop are still due, so only a standstill is a failure.
      while (made() < 50 * KILLS) {
        const known = made()
        await eventually(async () => made() > known, `${50 * KILLS - known} deliveries`)
      }
      assert.equal(made(), 50 * KILLS)
      await last.stop()
      await one.close()
    },
  )

  it('report a change that is committed after later ones', async () => {
    const service = await startService({ engine: 'server', database })
    const { clientId } = await endpointAt(service, '/late', ['record.changed'])
    const reader = await createReader(service.db, clientId)
    await isFollowing(service.db)
    const early = await service.db.startTransaction().execute()
    await change(early, reader, 1)
    await change(service.db, reader, 2)
    await eventually(async () => receiver.at('/late').length > 0, 'the later change')
    await early.commit().execute()
    await eventually(async () => receiver.at('/late').length > 1, 'the earlier change')
    // Shows whether something is repeated.
    await change(service.db, reader, 3)
    await eventually(async () => receiver.at('/late').length > 2, 'the last change')
    assert.deepEqual(
      recordsAt('/late'),
      [2, 1, 3].map((work) => `${reader}/${work}`),
    )
    await service.close()
  })

  it(
    `report every change, and the feed without a gap, when a service is killed ${KILLS} times`,
    { timeout: LIMIT_MS },
    async () => {
      const one = await startService({
        engine: 'server',
        database,
        environment: { WEBHOOKS: 'off' },
      })
      const { db } = one
      const { clientId } = await endpointAt(one, '/history', ['record.changed'])
      await endpointAt(one, '/feed', ['catalog.changed'])
      const latest = async () => {
        const { rows } = await sql<{ id: number; due: boolean }>`
          select max(id) as id, exists (select from catalog_changes_due) as due
          from catalog_changes`.execute(db)
        return rows[0]?.due === false ? rows[0].id : undefined
      }
      const start = await latest()
      const environment = {
        DATABASE_URL: database.databaseUrl,
        DATA_DIR: database.dataDir,
        OVERLOAD_PROTECTION: 'off',
      }
      const made: string[] = []
      for (let kill = 0; kill <= KILLS; kill += 1) {
        const reader = await createReader(db, clientId)
        const service = await spawnService(environment)
        if (kill === 0) await isFollowing(db)
        const killed =
          kill < KILLS && sleep(randomInt(MAX_UPTIME_MS)).then(() => service.stop('SIGKILL'))
        for (let work = 1; work <= 50; work += 1) {
          await change(db, reader, work)
          made.push(`${reader}/${work}`)
          if (work % 10 === 0)
            await sql`update people set name = ${`Name ${made.length}`} where id = 1`.execute(db)
          await sleep(MAX_UPTIME_MS / 100)
        }
        await killed
        // Leases of the killed process would delay the end of the test.
        await sql`
          update webhook_deliveries set next_attempt_at = now() where next_attempt_at is not null`.execute(
          db,
        )
        if (kill < KILLS) continue
        await eventually(async () => recordsAt('/history').length >= made.length, 'the changes')
        await eventually(
          async () =>
            Math.max(...dataAt('/feed').map((each) => each.latest_id)) === (await latest()),
          'the end of the feed',
        )
        await service.stop()
      }
      assert.deepEqual(recordsAt('/history').toSorted(), made.toSorted())
      const ranges = dataAt('/feed').toSorted((a, b) => a.since - b.since)
      assert.deepEqual(
        ranges.map(({ since }) => since),
        [start, ...ranges.map(({ latest_id: end }) => end).slice(0, -1)],
      )
      await one.close()
    },
  )
})
