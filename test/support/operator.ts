import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import pg from 'pg'
import { createDatabase, type Content, type TestDatabase } from './databases.ts'
import { runCommand } from './run-command.ts'

type Place = Pick<TestDatabase, 'databaseUrl' | 'dataDir'>

/** Returns the operator's command line for a file of tests, with a new database. */
export function setUpOperator(content: Content = 'nothing', settings?: () => NodeJS.ProcessEnv) {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase('server', content)
  })
  after(() => database.remove())
  return { database: () => database, ...operatorOf(() => database, settings) }
}

/** Returns the operator's command line for a database, such as that of a running service. */
export function operatorOf(place: () => Place, settings: () => NodeJS.ProcessEnv = () => ({})) {
  const environment = (): NodeJS.ProcessEnv => ({
    DATABASE_URL: place().databaseUrl,
    DATA_DIR: place().dataDir,
    PORT: '0',
    ...settings(),
  })
  const run = (args: string[], input = '', more: NodeJS.ProcessEnv = {}) =>
    runCommand(args, { environment: { ...environment(), ...more }, input })

  /** Returns the output of a command. Asserts that it succeeds without errors. */
  async function succeed(...command: Parameters<typeof run>): Promise<string> {
    const { status, output, errors } = await run(...command)
    assert.deepEqual({ status, errors }, { status: 0, errors: '' })
    return output
  }

  return {
    environment,
    run,
    succeed,

    /** Runs a command with `--json`. Asserts that it succeeds and prints nothing else. */
    async runJson<Value = Record<string, unknown>>(
      args: string[],
      input = '',
      more: NodeJS.ProcessEnv = {},
    ): Promise<Value> {
      const output = await succeed([...args, '--json'], input, more)
      assert.match(output, /^.+\n$/, 'one line')
      // as: each test checks the fields it needs
      return JSON.parse(output) as Value
    },

    async query<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
      const client = new pg.Client({ connectionString: place().databaseUrl })
      await client.connect()
      try {
        return (await client.query<Row>(statement)).rows
      } finally {
        await client.end()
      }
    },
  }
}
