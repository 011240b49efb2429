import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { mokuroku, startMokuroku } from '#test/program.ts'

describe('a command that needs a locked table', () => {
  let database: TestDatabase
  let environment: NodeJS.ProcessEnv
  before(async () => {
    database = await createDatabase('server', 'sample')
    environment = { DATABASE_URL: database.databaseUrl, DATA_DIR: database.dataDir, PORT: '0' }
  })
  after(() => database.remove())

  async function lock(...tables: string[]) {
    const holder = new pg.Client({
      connectionString: database.databaseUrl,
      application_name: 'a report',
    })
    await holder.connect()
    await holder.query(`begin; lock table ${tables.join(', ')} in access exclusive mode`)
    const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
    return { pid: rows[0]?.pid, release: () => holder.end() }
  }

  it('fails and names the table, the session that holds the lock, and how to proceed', async () => {
    const holder = await lock('accounts', 'apps', 'signing_keys', 'works')
    const outcomes = await Promise.all(
      (
        [
          ['accounts', 'account', 'create', 'reader@example.org'],
          ['accounts', 'account', 'list'],
          ['apps', 'app', 'create', 'Launcher', '--scope', 'catalog:read'],
          ['accounts', 'serve', '--demo'],
          ['accounts', 'serve', '--no-demo', '--json'],
          ['signing_keys', 'keys', 'rotate'],
          ['works', 'entry', 'show', 'galgame', '1'],
        ] as const
      ).map(async ([table, ...args]) => ({
        table,
        args,
        ...(await mokuroku([...args], { environment })),
      })),
    )
    await holder.release()
    for (const { table, args, status, errors } of outcomes) {
      const command = args.join(' ')
      assert.equal(status, 1, `${command}: ${errors}`)
      assert.match(
        errors,
        new RegExp(
          `^A lock on table ${table} was not granted in time: database session ${holder.pid} \\(a report, ` +
            `user \\w+, idle in transaction, since 20\\d\\d-\\S+Z\\) holds it\\. Let it finish, or end it with ` +
            `select pg_terminate_backend\\(${holder.pid}\\), and try again\\.\\n$`,
          'm',
        ),
        command,
      )
      assert.doesNotMatch(errors, /canceling statement/, command)
    }
  })

  it('does not start a service with the demo, even if only the accounts table is locked', async () => {
    const holder = await lock('accounts')
    const { status, errors } = await mokuroku(['serve', '--demo'], { environment })
    await holder.release()
    assert.equal(status, 1, errors)
    assert.match(errors, new RegExp(`A lock on table accounts .* session ${holder.pid} `))
  })

  it('reports what it is waiting for if it may wait, and continues once the lock is released', async () => {
    for (const [table, ...args] of [
      ['search_words', 'search', 'reindex'],
      ['works', 'set', 'galgame', '1', 'trans_title', 'Kanon'],
    ] as const) {
      const holder = await lock(table)
      const program = startMokuroku([...args], { environment })
      await program.waitForOutput('Waiting for a lock')
      await holder.release()
      const { status, errors } = await program.ended
      assert.equal(status, 0, errors)
      assert.match(
        errors,
        new RegExp(
          `"blocked_by":\\[\\{"pid":${holder.pid},"user":"\\w+","application":"a report".*"table":"${table}"`,
        ),
      )
      assert.match(
        errors,
        new RegExp(
          `Waiting for a lock on table ${table}: database session ${holder.pid} .*terminate_backend`,
        ),
      )
    }
  })
})
