import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { sql } from 'kysely'
import { createClient, createUser, obtainTokens, refresh } from '#test/authorization.ts'
import { eventually } from '#test/browser.ts'
import { createCollectionOwner } from '#test/collections.ts'
import { createDatabase, describeOnEachDatabase, type Engine } from '#test/databases.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { temporaryFolder } from '#test/program.ts'
import { assertExactCounts, assertExactHistories, waitForTotals } from '#test/ratings.ts'
import { runCommand } from '#test/run-command.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { assertExactListings, updateListings } from '#test/update-listings.ts'
import { signIn } from '#test/user-api.ts'
import { listTables, sumRows } from './dump-queries.ts'
import type { Checksums } from './format.ts'
import { makeBackup, type MadeBackup } from './make-backup.ts'

const TARGETS: Engine[] = ['embedded', 'server']

/** Writes ratings and collections until stopped. @returns a function that stops it and returns the number of writes */
async function startLoad(service: TestService) {
  const { light_novel: novels } = await sampleWorks(service.db)
  const writers = await Promise.all(
    Array.from({ length: 3 }, () => signIn(service, { scope: 'status:write' })),
  )
  const collector = await createCollectionOwner(service)
  const collection = await collector.create({ name: 'Written during the backup' })
  const stopping = new AbortController()
  let writes = 0
  const write = async (writer: (typeof writers)[number], from: number) => {
    for (let round = from; !stopping.signal.aborted; round += 1) {
      const work = novels[round % novels.length]
      const { status, text } = await writer.send('PUT', `/v3/user/me/rates/light-novels/${work}`, {
        status: 'COMPLETED',
        rate: 1 + (round % 9),
      })
      assert.equal(status, 200, text)
      writes += 1
    }
  }
  const collect = async () => {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      const { status } = await collector.put(
        collection.id,
        `light-novels/${novels[round % novels.length]}`,
        { note: `Round ${round}` },
      )
      assert.ok(status < 300)
      writes += 1
    }
  }
  const running = Promise.all([...writers.map(write), collect()])
  // `stop` reports the error.
  running.catch(() => {})
  return {
    writes: () => writes,
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}

type Sums = Record<string, { rows: number; sum: string }>

async function sumAll(database: Parameters<typeof withTestDatabase>[0]) {
  return withTestDatabase(database, async (db) => {
    const sums: Sums = {}
    await sql`select set_config('timezone', 'UTC', false), set_config('bytea_output', 'hex', false)`.execute(
      db,
    )
    for (const table of await listTables(db)) sums[table.name] = await sumRows(db, table)
    return withoutTransactions(sums)
  })
}

const sumsOf = ({ tables }: Checksums) =>
  withoutTransactions(
    Object.fromEntries(
      Object.entries(tables).map(([name, { rows, sum }]) => [name, { rows, sum }]),
    ),
  )

/** A restore clears the transaction IDs of recent changes. */
const withoutTransactions = ({ rating_changes: changes, ...sums }: Sums) => ({
  ...sums,
  rating_changes: { rows: changes?.rows },
})

/** Asserts that a service on the restored database continues from the state at the time of the backup. */
async function assertContinues(
  service: TestService,
  tokens: { access_token: string; refresh_token?: string; app: Parameters<typeof refresh>[1] },
) {
  await waitForTotals(service.db)
  await updateListings(service.db)
  await assertExactCounts(service.db)
  await assertExactHistories(service.db)
  await assertExactListings(service.db)
  const own = await service.get('/v3/user/me/rates?page_size=1', tokens.access_token)
  assert.equal(own.status, 200, 'the access token is valid')
  const refreshed = await refresh(service, tokens.app, tokens.refresh_token ?? '')
  assert.equal(refreshed.status, 200, 'the refresh token is valid')
  const token = await service.token()
  const { rows } = await sql<{ name: string }>`select name from light_novels order by id`.execute(
    service.db,
  )
  for (const path of [
    `search?q=${encodeURIComponent(first(rows).name)}`,
    'light-novels?page_size=5',
  ]) {
    const response = await service.get(`/api/v3/open/${path}`, token)
    assert.equal(response.status, 200, path)
    const text = await response.text()
    assert.match(text, /"id" ?: ?\d/, path)
  }
}

describeOnEachDatabase('a backup', (engine) => {
  it('restores all rows and valid tokens into either kind of database, even if it was taken under load', async () => {
    const { path: folder, remove } = temporaryFolder()
    const service = await startService({ engine, environment: { SECRET_KEY: 'k'.repeat(40) } })
    const file = join(folder, 'backup.tar')
    const PORT = String(service.config.port)
    let made: MadeBackup
    const reader = await createUser(service)
    const app = await createClient(service)
    const tokens = await obtainTokens(service, {
      app,
      user: reader,
      scope: 'openid status:write offline_access',
      prompt: 'consent',
    })
    try {
      const load = await startLoad(service)
      await eventually(async () => load.writes() >= 20, 'the load')
      made = await makeBackup(service.config, service.server.database, file)
      const before = load.writes()
      await eventually(async () => load.writes() > before, 'the load goes on')
      await load.stop()
    } finally {
      await service.close()
    }
    try {
      assert.equal(statSync(file).mode & 0o777, 0o600)
      assert.ok((made.checksums.tables['ratings']?.rows ?? 0) > 0)
      for (const targetEngine of TARGETS) {
        const target = await createDatabase(targetEngine, 'nothing')
        const environment = {
          DATABASE_URL: target.databaseUrl,
          DATA_DIR: target.dataDir,
          SECRET_KEY: 'k'.repeat(40),
        }
        try {
          const restored = await runCommand(['restore', file, '--json'], { environment })
          assert.equal(restored.status, 0, restored.errors)
          assert.deepEqual(await sumAll(target), sumsOf(made.checksums))
          const restarted = await startService({
            engine: targetEngine,
            database: target,
            environment: { PORT, SECRET_KEY: 'k'.repeat(40) },
          })
          await assertContinues(restarted, { ...tokens, app }).finally(restarted.close)
        } finally {
          await target.remove()
        }
      }
    } finally {
      remove()
    }
  })
})
