import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { readMigrations } from '../../src/db/upkeep/migrate.ts'
import { describeOnEachDatabase, type Engine, type TestDatabase } from '#test/databases.ts'
import { NEXT_MIGRATION } from '#test/next-migration.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { startProgram, type Program } from '#test/program.ts'
import { seedRandom } from '#test/seeded-random.ts'
import type { Fixture } from './fixture.ts'
import {
  CHANGED_ROWS,
  createReleasedDatabase,
  makeNextProgram,
  readLatestFixture,
  settingsOf,
  sumReleased,
} from './released-database.ts'
import { numberVariable } from '#test/number-variables.ts'

/** Number of kills, each on a separate copy of the database. Higher numbers take minutes. */
const KILLS = numberVariable('UPGRADE_KILLS') ?? 3

/** Maximum time, in milliseconds, between the start of a migration and the kill. */
const MAX_DELAY_MS = 400

/** Number of processes that upgrade the database at the same time. One of them is killed, and the others go on. */
const PROCESSES: Record<Engine, number> = { server: 3, embedded: 1 }

/** Migrations of the next version. The second one rewrites rows, so that it takes a moment. */
const NEXT = {
  '9901_next': NEXT_MIGRATION,
  '9902_more': `
    update source_records set fields = fields || '{}';
    create table more as select number as id from generate_series(1, 50000) number;
    create index on more (id)`,
}

/** Sums the rows of the tables that no migration changes. */
async function sumKept(database: TestDatabase, fixture: Fixture) {
  const sums = Object.entries(await sumReleased(database, fixture))
  return Object.fromEntries(sums.filter(([name]) => !(name in CHANGED_ROWS)))
}

/** Waits until a process has started this migration, and returns the process. */
const startOf = (migration: string, programs: Program[]) =>
  Promise.any(
    programs.map(async (program) => {
      await program.waitForOutput(`"migration":"${migration}","msg":"Starting a migration"`)
      return program
    }),
  )

describeOnEachDatabase('an upgrade that is killed (kill -9)', (engine) => {
  let fixture: Fixture
  let program: ReturnType<typeof makeNextProgram>
  before(async () => {
    fixture = await readLatestFixture()
    program = makeNextProgram(NEXT)
  })
  after(() => program.remove())

  it(`is completed without a lost row, after each of ${KILLS} kills`, async () => {
    const known = new Set(fixture.migrations.map(({ name }) => name))
    const names = [...(await readMigrations()).map(({ name }) => name), ...Object.keys(NEXT)]
    const pending = names.filter((name) => !known.has(name))
    const random = seedRandom('killed upgrades')
    for (let kill = 0; kill < KILLS; kill += 1) {
      const database = await createReleasedDatabase(engine, fixture)
      const released = await sumKept(database, fixture)
      const environment = {
        ...settingsOf(database, fixture),
        BACKUP_EVERY: 'off',
        LOG_LEVEL: 'info',
      }
      const start = () => startProgram([...program.command, 'migrate'], { environment })
      const started = Array.from({ length: PROCESSES[engine] }, start)
      try {
        // The first kill hits the last migration, the others hit random ones.
        const name = (kill === 0 ? pending.at(-1) : random.pick(pending)) ?? ''
        const killed = await startOf(name, started)
        await sleep(random.below(MAX_DELAY_MS))
        await killed.end('SIGKILL')
        const others = started.filter((other) => other !== killed)
        for (const { ended } of others.length > 0 ? others : [start()]) {
          const { status, errors } = await ended
          assert.equal(status, 0, `${name}: ${errors}`)
        }
        const { rows } = await withTestDatabase(database, (db) =>
          sql<{ name: string }>`
            select name from migrations where name = any (${pending}::text[]) order by name`.execute(
            db,
          ),
        )
        assert.deepEqual(
          rows.map((row) => row.name),
          pending,
        )
        assert.deepEqual(await sumKept(database, fixture), released, `killed in ${name}`)
      } finally {
        await Promise.all(started.map((other) => other.end('SIGKILL')))
        await database.remove()
      }
    }
  })
})
