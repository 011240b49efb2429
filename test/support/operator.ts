import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import pg from 'pg'
import { createDatabase, type TestDatabase } from './databases.ts'
import { runCommand } from './run-command.ts'

/** Returns the operator's command line for a file of tests, with an untouched database. */
export function setUpOperator() {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase('server', 'nothing')
  })
  after(() => database.remove())

  const environment = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: database.databaseUrl,
    DATA_DIR: database.dataDir,
    PORT: '0',
  })
  const run = (args: string[], input = '') =>
    runCommand(args, { environment: environment(), input })
  return {
    environment,
    run,

    /** Runs a command with `--json`. Asserts that it succeeds and prints nothing else. */
    async runJson(args: string[], input = ''): Promise<unknown> {
      const { status, output, errors } = await run([...args, '--json'], input)
      assert.deepEqual({ status, errors }, { status: 0, errors: '' })
      assert.match(output, /^.+\n$/, 'one line')
      return JSON.parse(output)
    },

    async query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
      const client = new pg.Client({ connectionString: database.databaseUrl })
      await client.connect()
      try {
        return (await client.query<Row>(statement)).rows
      } finally {
        await client.end()
      }
    },
  }
}
