import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { createUser } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { spawnService } from '#test/service-process.ts'
import { startService, type TestService } from '#test/service.ts'
import { startReceiver, type Receiver } from '#test/webhooks.ts'
import { createEndpoint } from './endpoint-queries.ts'

/** Number of times that a service is killed. `WEBHOOK_KILLS` sets it for long runs. */
const KILLS = Number(process.env['WEBHOOK_KILLS'] ?? 2)
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
  async function endpointAt({ db, createApp }: TestService, path: string) {
    const owner = await createUser({ db })
    const { clientId } = await createApp({ accountId: owner.id })
    const created = await createEndpoint(
      db,
      { accountId: owner.id, clientId, origin: {} },
      { url: receiver.url + path, events: ['app.revoked'] },
      undefined,
    )
    assert.ok('id' in created)
    const add = (count: number) =>
      sql`
        insert into webhook_deliveries (endpoint_id, event, data)
        select ${created.id}, 'webhook.test', '{}' from generate_series(1, ${count})`.execute(db)
    return { id: created.id, add }
  }
  const idsAt = (path: string) => receiver.at(path).map(({ headers }) => headers['webhook-id'])

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
})
