import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createUser } from '#test/authorization.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnService, type ServiceProcess } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { startReceiver, waitForFollowing, type Receiver } from '#test/webhooks.ts'
import type { Database } from '../db/database.ts'
import { createEndpoint } from './endpoint-queries.ts'
import type { WebhookEvent } from './events.ts'

/** Number of times that a service is killed. `WEBHOOK_KILLS` sets it for long runs. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2)
/** Time limit of the kills, in milliseconds, for a machine with other work. */
const LIMIT_MS = 300_000 + KILLS * 10_000

describe('several services with webhooks', () => {
  let database: TestDatabase
  let receiver: Receiver
  /** A service that sends no deliveries. */
  let idle: TestService
  let db: Database
  const senders: ServiceProcess[] = []
  before(async () => {
    database = await createDatabase('server', 'sample')
    receiver = await startReceiver()
    idle = await startService({ engine: 'server', database, environment: { WEBHOOKS: 'off' } })
    db = idle.db
  })
  after(async () => {
    // A failed test leaves its services running.
    for (const sender of senders) await sender.stop('SIGKILL')
    await idle?.close()
    receiver?.close()
    await database?.remove()
  })

  /** Creates an endpoint, and returns a function that adds deliveries to it. */
  async function endpointAt(path: string, events: WebhookEvent[] = ['app.revoked']) {
    const owner = await createUser({ db })
    const { clientId } = await idle.createApp({ accountId: owner.id, scopes: ['status:read'] })
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
  const change = (accountId: number, workId: number, trx = db) =>
    sql`
      insert into rating_changes (account_id, work_id, kind, action, fields)
      values (${accountId}, ${workId}, 'galgame', 'CHANGED', '{"rate": {}}')`.execute(trx)
  /** Creates a user who has allowed an app to see the user's records. */
  async function createReader(clientId: string) {
    const { id } = await createUser({ db })
    await sql`
      insert into consents (account_id, client_id, scopes)
      values (${id}, ${clientId}, '["status:read"]')`.execute(db)
    return id
  }
  async function spawnSender() {
    const sender = await spawnService({
      DATABASE_URL: database.databaseUrl,
      DATA_DIR: database.dataDir,
      OVERLOAD_PROTECTION: 'off',
    })
    senders.push(sender)
    return sender
  }
  /** Ends the leases of a killed process, which would delay the end of a test. */
  const endLeases = () =>
    sql`
      update webhook_deliveries set next_attempt_at = now()
      where next_attempt_at is not null`.execute(db)

  it('send each delivery once', async () => {
    const one = await startService({ engine: 'server', database })
    const other = await startService({ engine: 'server', database })
    const { add } = await endpointAt('/once')
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
      const { add } = await endpointAt('/killed')
      receiver.respond('/killed', (response) => setTimeout(() => response.writeHead(200).end(), 5))
      for (let kill = 1; kill <= KILLS; kill += 1) {
        await add(50)
        const killed = await spawnSender()
        const before_ = receiver.at('/killed').length
        await eventually(async () => receiver.at('/killed').length > before_ + 5, 'some deliveries')
        await killed.stop('SIGKILL')
        await endLeases()
      }
      const last = await spawnSender()
      const made = () => new Set(idsAt('/killed')).size
      // Most deliveries of a long loop are still due, so only a standstill is a failure.
      while (made() < 50 * KILLS) {
        const known = made()
        await eventually(async () => made() > known, `${50 * KILLS - known} deliveries`)
      }
      assert.equal(made(), 50 * KILLS)
      await last.stop()
    },
  )

  it('report a change that is committed after later ones', async () => {
    const service = await startService({ engine: 'server', database })
    const { clientId } = await endpointAt('/late', ['record.changed'])
    const reader = await createReader(clientId)
    await waitForFollowing(db)
    const early = await db.startTransaction().execute()
    await change(reader, 1, early)
    await change(reader, 2)
    await eventually(async () => receiver.at('/late').length > 0, 'the later change')
    await early.commit().execute()
    await eventually(async () => receiver.at('/late').length > 1, 'the earlier change')
    // Shows whether something is repeated.
    await change(reader, 3)
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
      const { clientId } = await endpointAt('/history', ['record.changed'])
      await endpointAt('/feed', ['catalog.changed'])
      const latest = async () => {
        const { rows } = await sql<{ id: number; due: boolean }>`
          select max(id) as id, exists (select from catalog_changes_due) as due
          from catalog_changes`.execute(db)
        return rows[0]?.due === false ? rows[0].id : undefined
      }
      // Blocks a service that has read changes when it inserts their deliveries.
      await sql`
        create function wait_for_test() returns trigger language plpgsql as $$
        begin
          perform pg_advisory_xact_lock(1);
          return null;
        end $$`.execute(db)
      await sql`
        create trigger wait_for_test before insert on webhook_deliveries
        execute function wait_for_test()`.execute(db)
      const start = await latest()
      const reader = await createReader(clientId)
      const made: string[] = []
      const changeRecord = async () => {
        await change(reader, made.length + 1)
        made.push(`${reader}/${made.length + 1}`)
      }
      const changeCatalog = () =>
        sql`update people set name = ${`Name ${Math.random()}`} where id = 1`.execute(db)
      const isReported = () =>
        eventually(async () => {
          const end = Math.max(...dataAt('/feed').map(({ latest_id: id }) => id))
          return recordsAt('/history').length >= made.length && end === (await latest())
        }, 'all changes')

      for (let kill = 0; kill < KILLS; kill += 1) {
        const killed = await spawnSender()
        if (kill === 0) await waitForFollowing(db)
        await changeRecord()
        await changeCatalog()
        await isReported()
        const trx = await db.startTransaction().execute()
        try {
          await sql`select pg_advisory_xact_lock(1)`.execute(trx)
          await (kill % 2 === 0 ? changeRecord() : changeCatalog())
          await waitForBlocked(trx, 1)
          await killed.stop('SIGKILL')
          await sql`
            select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`.execute(trx)
        } finally {
          await trx.rollback().execute()
        }
        await endLeases()
      }
      const last = await spawnSender()
      await isReported()
      await last.stop()
      assert.deepEqual(recordsAt('/history').toSorted(), made.toSorted())
      const ranges = dataAt('/feed').toSorted((a, b) => a.since - b.since)
      assert.deepEqual(
        ranges.map(({ since }) => since),
        [start, ...ranges.map(({ latest_id: end }) => end).slice(0, -1)],
      )
    },
  )
})
