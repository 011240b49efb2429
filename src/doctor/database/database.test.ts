import assert from 'node:assert/strict'
import { appendFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { eventually } from '#test/browser.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { codesOf, examineInstallation, findingOf } from '#test/examination.ts'
import { listenLocally } from '#test/free-port.ts'
import { startPgBouncer } from '#test/pgbouncer.ts'
import { startPostgres, type PostgresServer } from '#test/postgres.ts'
import { missingFile } from '#test/required-programs.ts'
import { removeFolder, scratchFolder } from '#test/scratch-folder.ts'
import { openDatabase, type Database } from '../../db/database.ts'
import { migrate } from '../../db/upkeep/migrate.ts'
import { saveUpkeep } from '../../db/upkeep/upkeep-queries.ts'
import type { CheckId } from '../finding.ts'

/** Checks of the database that are about neither a running service nor this machine. */
const OF_DATABASE: CheckId[] = [
  'database',
  'schema',
  'rights',
  'server',
  'indexes',
  'tables',
  'sessions',
  'pooler',
  'clock',
  'deletions',
  'upkeep',
  'embedded',
  'keys',
  'outbox',
  'imports',
  'uploads',
]

/** A separate server, because some faults concern all databases of a server. */
describe('the checks of a database server', () => {
  let server: PostgresServer
  let database: { databaseUrl: string; dataDir: string }
  const clients: pg.Client[] = []
  before(async () => {
    server = await startPostgres('memory')
    database = { databaseUrl: server.url, dataDir: scratchFolder('doctor') }
    const { db, close } = await openDatabase(database)
    await migrate(db).finally(close)
  })
  after(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await server.stop()
    removeFolder(database.dataDir)
  })

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: server.url })
    client.on('error', () => {})
    clients.push(client)
    await client.connect()
    return client
  }
  async function run(...statements: string[]) {
    const client = await connected()
    for (const statement of statements) await client.query(statement)
  }
  /** Changes a setting of the server, which applies it when it reloads its configuration. */
  const reload = (statement: string) => run(statement, 'select pg_reload_conf()')
  const examineServer = (options: Partial<Parameters<typeof examineInstallation>[0]> = {}) =>
    examineInstallation({ database, ...options })
  const codes = async (id: CheckId, options = {}) => codesOf(await examineServer(options), id)

  it('find nothing wrong with a healthy server', async () => {
    const results = await examineServer()
    assert.deepEqual(
      results
        .filter(({ id }) => OF_DATABASE.includes(id))
        .map(({ id, status, findings }) => [id, status, findings]),
      OF_DATABASE.filter((id) => id !== 'embedded' && id !== 'upkeep').map((id) => [id, 'ok', []]),
    )
  })

  it('report dropped and invalid indexes', async () => {
    await run(
      'drop index mails_next_attempt_at_idx',
      'alter table known_devices drop constraint known_devices_pkey',
      `update pg_index set indisvalid = false where indexrelid = 'audit_events_pkey'::regclass`,
    )
    const results = await examineServer()
    assert.deepEqual(codesOf(results, 'indexes'), [
      'error indexes.missing_unique',
      'warning indexes.missing',
      'warning indexes.invalid',
    ])
    assert.deepEqual(findingOf(results, 'indexes.missing')?.params, {
      name: 'mails_next_attempt_at_idx',
      table: 'mails',
    })
    await run(
      'create index mails_next_attempt_at_idx on mails (next_attempt_at)',
      'alter table known_devices add primary key (account_id, device_hash)',
      `update pg_index set indisvalid = true where indexrelid = 'audit_events_pkey'::regclass`,
    )
  })

  it('report a read-only database', async () => {
    await run('alter database postgres set default_transaction_read_only = on')
    assert.deepEqual(await codes('database'), ['error database.read_only'])
    const client = await connected()
    await client.query('set default_transaction_read_only = off')
    await client.query('alter database postgres reset default_transaction_read_only')
  })

  it('report disabled autovacuum', async () => {
    await reload('alter system set autovacuum = off')
    await eventually(
      async () => (await codes('server')).join() === 'error server.no_autovacuum',
      'the server reloads its configuration',
    )
    await reload('alter system reset autovacuum')
    await eventually(async () => (await codes('server')).length === 0, 'autovacuum is on again')
  })

  it('report too few or nearly exhausted connections, small buffers, and a high transaction age', async () => {
    assert.deepEqual(
      await codes('server', { environment: { WORKERS: '3', DATABASE_POOL_SIZE: '100' } }),
      ['warning server.few_connections'],
    )
    const limits = {
      connectionShare: 0,
      bufferFactor: 0,
      transactionAge: [1, 1_000_000_000] as const,
    }
    assert.deepEqual(await codes('server', { limits }), [
      'warning server.connections_used',
      'warning server.small_buffers',
      'warning server.transaction_age',
    ])
    assert.deepEqual(await codes('server', { limits: { transactionAge: [1, 1] } }), [
      'error server.transaction_age',
    ])
  })

  it('report services on several machines without Redis', async () => {
    const { rows } = await (
      await connected()
    ).query<{ file: string }>(`select current_setting('hba_file') as file`)
    appendFileSync(rows[0]?.file ?? '', 'host all all 127.0.0.0/8 trust\n')
    await run('select pg_reload_conf()')
    const target = new URL(server.url)
    const proxy = createServer((socket) => {
      const port = Number(target.port)
      const upstream = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
      for (const end of [socket, upstream]) end.on('error', () => {})
      socket.pipe(upstream).pipe(socket)
    })
    const port = await listenLocally(proxy)
    const other = new pg.Client({
      connectionString: server.url.replace(target.port, String(port)),
      application_name: 'mokuroku',
    })
    try {
      await sleep(300)
      await other.connect()
      assert.deepEqual(await codes('server'), ['warning server.no_redis'])
      assert.deepEqual(
        await codes('server', { environment: { REDIS_URL: 'redis://127.0.0.1:1' } }),
        [],
      )
    } finally {
      await other.end()
      proxy.close()
    }
  })

  it('report a role with missing privileges', async () => {
    await run(
      'create role limited login',
      'revoke temporary on database postgres from public',
      'revoke create on schema public from public',
      'grant select on all tables in schema public to limited',
      'grant insert, update, delete on apps to limited',
    )
    const url = new URL(server.url)
    url.username = 'limited'
    const results = await examineServer({ database: { ...database, databaseUrl: url.href } })
    assert.deepEqual(codesOf(results, 'rights'), [
      'error rights.create',
      'error rights.temporary',
      'error rights.tables',
      'error rights.owner',
    ])
    assert.equal(findingOf(results, 'rights.tables')?.params?.['table'], 'account_refs')
    await run('grant temporary on database postgres to public')
  })

  it('report tables with missing or outdated statistics, and bloated tables', async () => {
    const limits = { tableBytes: 200_000 }
    const client = await connected()
    await client.query(`create table large (id bigint, text text) with (autovacuum_enabled = off)`)
    await client.query(
      `insert into large select id, repeat('x', 200) from generate_series(1, 5000) id`,
    )
    await client.query('select pg_stat_force_next_flush()')
    assert.deepEqual(await codes('tables', { limits }), ['warning tables.not_analyzed'])
    await client.query('analyze large')
    assert.deepEqual(await codes('tables', { limits }), [])
    await client.query('update large set id = id + 1 where id < 4000')
    await client.query('select pg_stat_force_next_flush()')
    const results = await examineServer({ limits })
    assert.deepEqual(codesOf(results, 'tables'), ['warning tables.stale_statistics'])
    assert.deepEqual(findingOf(results, 'tables.stale_statistics')?.params, {
      name: 'large',
      percent: 80,
      days: 0,
    })
    await client.query('delete from large where id > 500')
    await client.query('analyze large')
    assert.deepEqual(await codes('tables', { limits }), ['warning tables.bloated'])
    await client.query('drop table large')
  })

  it('report old transactions, and the session that blocks another', async () => {
    const [holder, waiter] = [await connected(), await connected()]
    await holder.query('set application_name = psql')
    await holder.query('begin')
    await holder.query('lock table collections')
    const limits = { transactionSeconds: 0, waitSeconds: 0 }
    const waiting = waiter.query('select count(*) from collections')
    await eventually(
      async () => (await codes('sessions', { limits })).includes('warning sessions.blocked'),
      'the session waits',
    )
    const results = await examineServer({ limits })
    assert.deepEqual(codesOf(results, 'sessions'), [
      'warning sessions.long_transaction',
      'warning sessions.blocked',
    ])
    assert.equal(findingOf(results, 'sessions.blocked')?.params?.['application'], 'psql')
    await holder.query('rollback')
    await waiting
  })

  it('report that deletions are on hold after the clock seems to have jumped', async () => {
    const { db, close } = await openDatabase(database)
    try {
      assert.deepEqual(await codes('deletions'), [])
      await sql`update deletion_clock set held_until = now() + interval '1 day'`.execute(db)
      assert.deepEqual(await codes('deletions'), ['warning deletions.held'])
      await sql`update deletion_clock set held_until = now() - interval '1 second'`.execute(db)
      assert.deepEqual(await codes('deletions'), [])
    } finally {
      await close()
    }
  })

  it('report a database clock that differs from the service’s', async () => {
    const shifted = (ms: number) => ({ now: () => Date.now() + ms })
    assert.deepEqual(await codes('clock', shifted(-8_000)), ['warning clock.skew'])
    assert.deepEqual(await codes('clock', shifted(65_000)), ['error clock.skew'])
    assert.deepEqual(await codes('clock', shifted(1_000)), [])
  })

  it('report migrations that are pending, edited, replaced or newer, and then skip the checks of tables', async () => {
    for (const [statement, code] of [
      [
        `delete from migrations where name = (select max(name) from migrations)`,
        'warning schema.pending',
      ],
      [
        `update migrations set hash = 'x' where name = (select max(name) from migrations)`,
        'error schema.edited',
      ],
      [`insert into migrations (name, hash) values ('0000-old', '')`, 'error schema.replaced'],
      [`insert into migrations (name, hash) values ('9999-new', '')`, 'error schema.newer'],
    ] as const) {
      await run('create table saved as table migrations', statement)
      const results = await examineServer()
      await run('delete from migrations', 'insert into migrations table saved', 'drop table saved')
      assert.deepEqual(codesOf(results, 'schema'), [code])
      assert.equal(results.find(({ id }) => id === 'indexes')?.status, 'skipped')
      assert.equal(results.find(({ id }) => id === 'server')?.status, 'ok')
    }
  })

  it('report signing keys that cannot be read, are stored as plain text, or are old', async () => {
    const insert = (kid: string, jwk: string) =>
      `insert into signing_keys (kid, alg, private_jwk, signs_from, created_at)
       values ('${kid}', 'ES256', '${jwk}', now(), now() - interval '500 days')`
    await run(insert('plain', '{}'))
    const environment = { SECRET_KEY: 'k'.repeat(40) }
    assert.deepEqual(await codes('keys', { environment }), [
      'warning keys.unsealed',
      'warning keys.old',
    ])
    await run(insert('sealed', 'v1.AAAA.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'))
    assert.deepEqual(await codes('keys', { environment }), ['error keys.unreadable'])
    assert.deepEqual(await codes('keys'), ['error keys.unreadable'])
    await run('delete from signing_keys')
  })

  it('report failed, refused and outdated imports, and emails that could not be sent', async () => {
    await run(
      `insert into import_runs (source, outcome, ended_at) values
         ('vndb', 'done', now() - interval '2 days'), ('vndb', 'failed', now()),
         ('bangumi', 'failed', now()), ('bangumi', 'refused', now()),
         ('ranobedb', 'failed', now() - interval '60 days'), ('ranobedb', 'done', now() - interval '50 days')`,
      `insert into mails (kind, email, language, attempts, failed_at)
       values ('password_changed', 'a@b.example', 'en', 10, now())`,
    )
    const results = await examineServer()
    assert.deepEqual(codesOf(results, 'imports'), [
      'warning imports.refused',
      'warning imports.old',
      'warning imports.failed',
    ])
    assert.equal(findingOf(results, 'imports.old')?.params?.['days'], 50)
    assert.deepEqual(codesOf(results, 'outbox'), ['warning outbox.given_up'])
    await run('delete from import_runs', 'delete from mails')
  })

  it('report uploaded pictures in a bucket if none is configured', async () => {
    await run(
      `with owner as (
         insert into accounts (email, name) values ('painter@b.example', 'Ei') returning id
       )
       insert into uploads (account_id, hash, object) select id, repeat('x', 43), 'uploads/x' from owner`,
    )
    const results = await examineServer()
    assert.deepEqual(codesOf(results, 'uploads'), ['error uploads.no_bucket'])
    assert.equal(findingOf(results, 'uploads.no_bucket')?.params?.['count'], 1)
    await run('delete from uploads')
    assert.deepEqual(await codes('uploads'), [])
    await run('delete from accounts')
  })

  it('report missing and old backups if backups are scheduled', async () => {
    const environment = { BACKUP_DIR: database.dataDir, BACKUP_EVERY: '1d' }
    assert.deepEqual(await codes('backups', { environment }), [])
    const later = { environment, now: () => Date.now() + 3 * 86_400_000 }
    assert.deepEqual(await codes('backups', later), ['error backups.none'])
    await run(`insert into installation (name, value) values
      ('last_backup', jsonb_build_object('taken_at', now(), 'file', '/a.tar', 'bytes', 1))`)
    assert.deepEqual(await codes('backups', { environment }), [])
    const results = await examineServer(later)
    assert.deepEqual(codesOf(results, 'backups'), ['error backups.old'])
    assert.equal(findingOf(results, 'backups.old')?.params?.['hours'], 72)
  })

  it('report a version that is too old', async () => {
    // A server of such a version cannot run the migrations.
    const old = {
      executeQuery: async () => ({
        rows: [{ version: '14.9', number: 140_009, is_read_only: false }],
      }),
    } as unknown as Database
    assert.deepEqual(await codes('database', { db: old }), ['error database.too_old'])
  })

  it(
    'report a PgBouncer that mixes sessions, unless DATABASE_DIRECT_URL is set, and one in front of a replica',
    { skip: missingFile('/usr/sbin/pgbouncer', 'pgbouncer') },
    async () => {
      const pooler = await startPgBouncer(
        { program: '/usr/sbin/pgbouncer', tracksPreparedStatements: false },
        server.url,
      )
      const pooled = { ...database, databaseUrl: pooler.url }
      const environment = { DATABASE_PREPARED_STATEMENTS: 'false' }
      try {
        const results = await examineServer({ database: pooled, environment })
        assert.deepEqual(codesOf(results, 'pooler'), ['warning pooler.mixes_sessions'])
        assert.deepEqual(codesOf(results, 'database'), [])
        const listening = await examineServer({
          database: pooled,
          environment: { ...environment, DATABASE_DIRECT_URL: server.url },
        })
        assert.deepEqual(codesOf(listening, 'pooler'), [])
        const replicated = await examineServer({
          environment: { DATABASE_REPLICA_URLS: `${pooler.url},${server.url}` },
        })
        assert.deepEqual(codesOf(replicated, 'replicas'), [
          'warning replicas.pooled',
          'warning replicas.promoted',
          'warning replicas.promoted',
        ])
      } finally {
        await pooler.stop()
      }
    },
  )
})

describe('a database that cannot be used', () => {
  const examineAt = async (databaseUrl: string) => {
    const results = await examineInstallation({ database: { databaseUrl, dataDir: '/nowhere' } })
    assert.equal(results.find(({ id }) => id === 'schema')?.status, 'skipped')
    assert.equal(results.find(({ id }) => id === 'settings')?.status, 'ok')
    return findingOf(results, 'database.unreachable')?.why
  }

  it('is reported with the cause, and does not prevent the other checks', async () => {
    const silent = createServer(() => {})
    const port = await listenLocally(silent)
    const database = await createDatabase('server', 'nothing')
    try {
      const url = new URL(database.databaseUrl ?? '')
      url.pathname = '/missing'
      assert.deepEqual(
        await Promise.all([
          examineAt('postgres://u@127.0.0.1:1/d'),
          examineAt('postgres://u@missing.invalid/d'),
          examineAt(`postgres://u@127.0.0.1:${port}/d`),
          examineAt(url.href),
        ]),
        ['refused', 'name', 'silent', 'no_database'],
      )
    } finally {
      silent.close()
      await database.remove()
    }
  })
})

describe('the checks of the embedded database', () => {
  let database: TestDatabase
  before(async () => (database = await createDatabase('embedded', 'empty')))
  after(() => database.remove())

  it('report tables that could not be vacuumed, and a high transaction age', async () => {
    const { db, close } = await openDatabase(database)
    await saveUpkeep(db, { tables: 1, failed: ['ratings', 'works'], isFrozen: false }).finally(
      close,
    )
    const limits = { transactionAge: [1, 1_000_000_000] as const }
    const results = await examineInstallation({ database, limits })
    assert.deepEqual(codesOf(results, 'upkeep'), [
      'warning upkeep.transaction_age',
      'warning upkeep.failed',
    ])
    assert.deepEqual(findingOf(results, 'upkeep.failed')?.params, {
      tables: 'ratings, works',
      count: 2,
    })
    const opened = await openDatabase(database)
    await saveUpkeep(opened.db, { tables: 1, failed: [], isFrozen: false }).finally(opened.close)
  })

  it('find nothing wrong with a healthy database, and report rows missing from an index of a damaged one', async () => {
    const healthy = await examineInstallation({ database })
    assert.deepEqual(
      OF_DATABASE.flatMap((id) => codesOf(healthy, id)),
      [],
    )
    assert.equal(healthy.find(({ id }) => id === 'embedded')?.status, 'ok')
    const { db, close } = await openDatabase(database)
    const { queryText } = await import('../../db/query.ts')
    const ready = (isReady: boolean) =>
      queryText(
        db,
        `update pg_index set indisready = ${isReady} where indexrelid = 'change_signals_pkey'::regclass`,
        [],
      )
    await ready(false)
    await queryText(db, `insert into change_signals (topic) values ('lost')`, [])
    await ready(true)
    await close()
    const results = await examineInstallation({ database })
    assert.deepEqual(codesOf(results, 'embedded'), ['error embedded.damaged'])
    assert.equal(findingOf(results, 'embedded.damaged')?.params?.['table'], 'change_signals')
  })
})
