import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createDatabase, describeOnDatabase, type TestDatabase } from '#test/databases.ts'
import { openDatabase, type OpenDatabase } from '../database.ts'
import { runDueSteps, type DueStep } from './due-tasks.ts'

describeOnDatabase('runDueSteps', (engine) => {
  let database: TestDatabase
  let opened: OpenDatabase
  before(async () => {
    database = await createDatabase(engine, 'cluster')
    opened = await openDatabase(database)
  })
  after(() => opened.close().finally(() => database.remove()))

  /**
   * Creates a step that is always due.
   *
   * @param batches results of its batches, followed by 0
   */
  const stepOf = (applied: string[], name: string, ...batches: number[]): DueStep => ({
    isDue: 'true',
    async run() {
      applied.push(name)
      return batches.shift() ?? 0
    },
  })

  it('runs each due step to completion, the most urgent first', async () => {
    const applied: string[] = []
    const never: DueStep = { isDue: 'false', run: () => assert.fail('a step that is not due') }
    await runDueSteps(opened.db, {
      never,
      first: stepOf(applied, 'first', 2, 1),
      second: stepOf(applied, 'second', 1),
    })
    assert.deepEqual(applied, ['first', 'first', 'first', 'second', 'second'])
  })

  it('returns to a step that became due while another one ran', async () => {
    const applied: string[] = []
    const second: DueStep = stepOf(applied, 'second', 1)
    await runDueSteps(opened.db, {
      first: {
        isDue: `current_setting('test.is_due', true) = 'yes'`,
        run: stepOf(applied, 'first', 1).run,
      },
      second: {
        isDue: 'true',
        async run(db) {
          await sql`select set_config('test.is_due', 'yes', false)`.execute(db)
          return second.run(db)
        },
      },
    })
    assert.deepEqual(applied, ['second', 'first', 'first', 'second'])
  })

  it('ends after the current batch when it is stopped', async () => {
    const applied: string[] = []
    const stop = new AbortController()
    const step = stepOf(applied, 'batch', 1, 1, 1)
    await runDueSteps(
      opened.db,
      { step: { ...step, run: (db) => (stop.abort(), step.run(db)) } },
      { stopping: stop.signal, pauses: true },
    )
    assert.deepEqual(applied, ['batch'])
  })
})
