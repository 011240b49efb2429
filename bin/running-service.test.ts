import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { freePort } from '#test/free-port.ts'
import { createAccounts, writeRating, type Work } from '#test/ratings.ts'
import { startService } from '#test/service.ts'
import { CHECKOUT, mokuroku, startMokuroku, type Program } from '#test/program.ts'
import { DeadlineMissedError } from '../src/db/server/deadlines.ts'

const PSQL = spawnSync('psql', ['--version']).status === 0
const NO_PSQL = !PSQL && 'psql is not installed'

/** Removes what a command prints that takes seconds: its progress, and that it waits for the service. */
const withoutProgress = (errors: string) =>
  errors.replaceAll(/^(?:\w+: .*(?:\d+ of \d+| rows,) .*|.*Waiting for another command.*)\n/gm, '')

describe('commands that share the embedded database with a running service', () => {
  let database: TestDatabase
  let service: Program
  let url: string
  let environment: NodeJS.ProcessEnv

  async function start() {
    service = startMokuroku(['serve', '--no-demo'], { environment })
    await service.waitForOutput('Listening')
  }
  before(async () => {
    database = await createDatabase('embedded', 'empty')
    const port = String(await freePort())
    url = `http://127.0.0.1:${port}`
    environment = { DATA_DIR: database.dataDir, PORT: port, HOST: '127.0.0.1' }
    await start()
  })
  after(async () => {
    await service.end('SIGTERM')
    await database.remove()
  })

  const run = (args: string[], input?: string) =>
    mokuroku(args, { environment, ...(input !== undefined && { input }) })
  async function succeed(args: string[], input?: string) {
    const { status, output, errors } = await run(args, input)
    assert.deepEqual({ status, faults: withoutProgress(errors) }, { status: 0, faults: '' })
    return output
  }
  const psql = (...args: string[]) =>
    spawnSync(
      'psql',
      [
        '-X',
        '-A',
        '-t',
        '-v',
        'ON_ERROR_STOP=1',
        '-h',
        database.dataDir,
        '-U',
        'postgres',
        ...args,
      ],
      { encoding: 'utf8', input: '', maxBuffer: 2 ** 27 },
    )
  async function query<Row extends pg.QueryResultRow>(text: string) {
    const client = await connect()
    try {
      return (await client.query<Row>(text)).rows
    } finally {
      await client.end()
    }
  }
  async function connect() {
    const client = new pg.Client({ host: database.dataDir, user: 'postgres', database: 'postgres' })
    client.on('error', () => {})
    await client.connect()
    return client
  }
  const isServing = async () => assert.equal((await fetch(`${url}/galgames`)).status, 200)

  it('end at once if they fail before their first statement', { timeout: 60_000 }, async () => {
    const file = join(database.dataDir, 'lock.sqlite')
    const { status, output, errors } = await run(['backup', file])
    assert.deepEqual(
      { status, output, errors },
      {
        status: 1,
        output: '',
        errors: `${file} exists. Choose another name, or replace it with --force.\n`,
      },
    )
  })

  it('are refused while 100 others are connected, and accepted once those have left', async () => {
    const clients = await Promise.all(Array.from({ length: 100 }, connect))
    await assert
      .rejects(connect(), { code: '53300' })
      .finally(() => Promise.all(clients.map((client) => client.end())))
    await succeed(['app', 'list'])
  })

  it('leave one backup if two are written to the same file at once', async () => {
    const file = join(database.dataDir, 'raced.tar')
    const results = await Promise.all([run(['backup', file]), run(['backup', file])])
    assert.deepEqual(results.map(({ status }) => status).toSorted(), [0, 1])
    const loser = results.find(({ status }) => status === 1)
    assert.match(loser?.errors ?? '', /^\S+raced\.tar exists\. .*\n$/)
    await succeed(['backup', 'verify', file])
  })

  it('create apps and accounts, which the service accepts immediately', async () => {
    const app = JSON.parse(await succeed(['app', 'create', 'Beside', '--json'])) as {
      client_id: string
      client_secret: string
    }
    const response = await fetch(`${url}/oidc/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'catalog:read' }),
    })
    assert.equal(response.status, 200)
    await succeed(['account', 'create', 'beside@example.org', '--json'], 'a long enough password\n')
    assert.match(await succeed(['app', 'list']), /Beside/)
  })

  it('import, edit and index the catalog, and the service shows the changes', async () => {
    await succeed(['import', 'vndb', join(CHECKOUT, 'sample/vndb')])
    await succeed(['import', 'bangumi', join(CHECKOUT, 'sample/bangumi-archive')])
    assert.match(await succeed(['search', 'reindex']), /Indexed [\d,]+ entries/)
    const [work] = await query<{ id: number }>(`select min(id)::integer as id from galgames`)
    assert.ok(work)
    await succeed(['set', 'galgame', String(work.id), 'origin_title', 'Set beside'])
    for (const end = Date.now() + 5_000; ; await sleep(50)) {
      const page = await (await fetch(`${url}/galgames/${work.id}`)).text()
      if (page.includes('Set beside')) break
      assert.ok(Date.now() < end)
    }
    assert.match(await succeed(['migrate']), /up to date/)
  })

  it('are rejected if they would start a second service', async () => {
    const { status, errors } = await mokuroku(['serve'], {
      environment: { ...environment, PORT: String(await freePort()) },
    })
    assert.equal(status, 1)
    assert.match(errors, /Another mokuroku process is using the database in .*Stop it first/)
  })

  it('leave no partial changes if they are killed', async () => {
    const countRecords = async () => {
      const [row] = await query<{ count: number }>(
        'select count(*)::integer as count from source_records',
      )
      return row?.count
    }
    const before = await countRecords()
    const counts = new Set<number | undefined>()
    for (const delay of [250, 400, 600, 900]) {
      const importing = startMokuroku(['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb')], {
        environment,
      })
      await sleep(delay)
      await importing.end('SIGKILL')
      await isServing()
      counts.add(await countRecords())
    }
    await succeed(['import', 'ranobedb', join(CHECKOUT, 'sample/ranobedb')])
    // A command may be killed after its commit.
    const complete = await countRecords()
    assert.notEqual(complete, before)
    assert.deepEqual(counts.difference(new Set([before, complete])), new Set())
  })

  it('fail with a one-line error if the service is killed', async () => {
    const holder = await connect()
    await holder.query('begin')
    const waiting = startMokuroku(['app', 'list'], { environment })
    await waiting.waitForOutput('Waiting for another command to end its transaction')
    await service.end('SIGKILL')
    const { status, errors } = await waiting.ended
    assert.equal(status, 1)
    assert.match(
      errors.trim().split('\n').at(-1) ?? '',
      /^The service that has the database in .* open stopped before the command was done\. .*Run the command again\.$/,
    )
    assert.ok(existsSync(join(database.dataDir, '.s.PGSQL.5432')), 'a stale socket is left')
    await succeed(['app', 'list'])
    await start()
    await succeed(['app', 'list'])
    assert.equal(statSync(join(database.dataDir, '.s.PGSQL.5432')).mode & 0o777, 0o600)
  })

  it('refuse to migrate the schema while the service is running', async () => {
    const [last] = await query<{ name: string; hash: string }>(
      `delete from migrations where name = (select max(name) from migrations) returning name, hash`,
    )
    assert.ok(last)
    const older = await run(['app', 'list'])
    assert.deepEqual(
      { status: older.status, errors: older.errors },
      {
        status: 1,
        errors:
          `The running service is older than this program: its database lacks migration ${last.name}. ` +
          'Restart the service with this version first.\n',
      },
    )
    await query(
      `insert into migrations (name, hash) values ('${last.name}', '${last.hash}'), ('9999_new', '')`,
    )
    const newer = await run(['app', 'list'])
    assert.match(newer.errors, /newer than this program.*9999_new/)
    await query(`delete from migrations where name = '9999_new'`)
    await succeed(['app', 'list'])
  })

  it('include psql, even for copying data in and out', { skip: NO_PSQL }, () => {
    assert.equal(psql('-c', 'select 40 + 2').stdout, '42\n')
    assert.match(psql('-c', '\\d galgames').stdout, /bigint|integer/)
    const copied = psql(
      '-c',
      'create table copied (line text)',
      '-c',
      `\\copy copied from '${join(CHECKOUT, 'LICENSE')}' with (format csv, delimiter E'\\x01', quote E'\\x02')`,
      '-c',
      "\\copy copied to stdout with (format csv, delimiter E'\\x01', quote E'\\x02')",
    )
    assert.equal(copied.stderr, '')
    const lines = readFileSync(join(CHECKOUT, 'LICENSE'), 'utf8')
    assert.ok(copied.stdout.includes(lines.trim()))
    psql('-c', 'drop table copied')
    assert.match(psql('-c', 'selec').stderr, /syntax error at or near "selec"/)
    assert.match(psql('-d', 'other', '-c', 'select 1').stderr, /Database "other" does not exist/)
    const large = psql('-c', `select repeat('a', 1000) from generate_series(1, 50000)`)
    assert.equal(large.stdout.length, 50_000 * 1_001)
  })

  it('cannot run programs through the database', async () => {
    for (const copy of [
      `copy (select 1) to program 'true'`,
      `do $$ begin execute 'copy (select 1) to program ''true'''; end $$`,
      `create temp table read (line text); copy read from program 'true'`,
    ])
      await assert.rejects(query(copy), /could not execute command "true"/)
    await isServing()
  })

  it('end the service if a statement terminates PostgreSQL, and the next start recovers the database', async () => {
    await query('create table kept as select 1 as number')
    await query(
      'create function endless(integer) returns integer language sql as $$ select endless($1 + 1) $$',
    )
    await assert.rejects(query('insert into kept select endless(1)'), /terminated/)
    const { status, errors } = await service.ended
    assert.equal(status, 1)
    assert.match(errors, /"msg":"A statement has ended the embedded PostgreSQL: .*\n$/)
    await start()
    assert.deepEqual(await query('select number from kept'), [{ number: 1 }])
    await query('drop table kept')
    await query('drop function endless')
  })
})

describe('twenty concurrent commands', () => {
  it('all succeed while the service writes ratings', async () => {
    const service = await startService({ engine: 'embedded' })
    try {
      const accounts = await createAccounts(service.db, 5)
      const { rows: works } =
        await sql<Work>`select id, kind from works order by id limit 20`.execute(service.db)
      const over = new AbortController()
      const written = accounts.map(async (account, index) => {
        let count = 0
        while (!over.signal.aborted) {
          const work = works[(count + index) % works.length]
          assert.ok(work)
          // On a busy machine, a write may wait too long behind the commands. Users get 503 and repeat it.
          try {
            await writeRating(service.db, account, work, { rate: 1 + (count % 10) })
            count += 1
          } catch (error) {
            if (!(error instanceof DeadlineMissedError)) throw error
          }
          await sleep(5)
        }
        return count
      })
      const names = Array.from({ length: 20 }, (_, index) => `App ${index}`)
      const environment = { DATA_DIR: service.config.dataDir }
      const endings = await Promise.all(
        names.map((name) => mokuroku(['app', 'create', name], { environment })),
      )
      over.abort()
      for (const count of await Promise.all(written)) assert.ok(count > 2, String(count))
      for (const { status, errors } of endings)
        assert.deepEqual({ status, faults: withoutProgress(errors) }, { status: 0, faults: '' })
      const { output } = await mokuroku(['app', 'list'], { environment })
      for (const name of names) assert.ok(output.includes(name))
    } finally {
      await service.close()
    }
  })
})
