import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { eventually } from '#test/browser.ts'
import { copyMigrations } from '#test/copy-migrations.ts'
import { createDatabase, type TestDatabase } from '#test/databases.ts'
import { startPgBouncer, type PgBouncer } from '#test/pgbouncer.ts'
import { mokuroku, temporaryFolder } from '#test/program.ts'
import { queryOnce } from '#test/query-once.ts'
import { missingFile } from '#test/required-programs.ts'
import { runCommand } from '#test/run-command.ts'
import { startService, type TestService } from '#test/service.ts'
import { signIn } from '#test/user-api.ts'
import { openDatabase } from '../src/db/database.ts'
import { migrate } from '../src/db/upkeep/migrate.ts'

/** PgBouncer from a newer Debian release, installed by `.ci/install-pgbouncer`. */
const CURRENT = '/opt/pgbouncer/pgbouncer'

type Case = PgBouncer & {
  name: string
  /** Reason to skip the tests, or false. */
  missing: string | false
  environment: NodeJS.ProcessEnv
}

const CASES: Case[] = [
  {
    name: 'behind PgBouncer without prepared statements',
    program: '/usr/sbin/pgbouncer',
    missing: missingFile('/usr/sbin/pgbouncer', 'pgbouncer'),
    tracksPreparedStatements: false,
    environment: { DATABASE_PREPARED_STATEMENTS: 'false' },
  },
  {
    name: 'behind PgBouncer with prepared statements',
    program: CURRENT,
    missing: existsSync(CURRENT) ? false : `no ${CURRENT} here: .ci/install-pgbouncer installs it`,
    tracksPreparedStatements: true,
    environment: {},
  },
]

for (const bouncer of CASES)
  describe(bouncer.name, { skip: bouncer.missing }, () => {
    let direct: TestDatabase
    let pooled: TestDatabase
    let stop: () => Promise<void>
    let folder: ReturnType<typeof temporaryFolder>
    before(async () => {
      direct = await createDatabase('server', 'sample')
      const started = await startPgBouncer(bouncer, direct.databaseUrl ?? '')
      stop = started.stop
      pooled = { ...direct, databaseUrl: started.url }
      folder = temporaryFolder()
    })
    after(async () => {
      folder.remove()
      await stop()
      await direct.remove()
    })

    const environment = () => ({
      DATABASE_URL: pooled.databaseUrl,
      DATA_DIR: pooled.dataDir,
      ...bouncer.environment,
    })
    const start = (more: NodeJS.ProcessEnv = {}) =>
      startService({ database: pooled, environment: { ...bouncer.environment, ...more } })
    const open = () =>
      openDatabase({
        ...pooled,
        databasePoolSize: 3,
        databasePreparedStatements: bouncer.environment['DATABASE_PREPARED_STATEMENTS'] !== 'false',
      })
    const warnings = ({ logged }: TestService) =>
      logged.filter(({ msg }) => /DATABASE_DIRECT_URL/.test(String(msg))).length

    it('two services sign users in and share ratings, and log that notifications do not arrive', async () => {
      const one = await start()
      const two = await start({ AUTH_URL: one.url })
      try {
        const { token, send } = await signIn(one)
        const path = '/v3/user/me/rates/galgames/1'
        for (const rate of [3, 4, 5, 6])
          assert.equal((await send('PUT', path, { rate })).data.rate, rate)
        const shown = await two.get(path, token)
        assert.equal(((await shown.json()) as { data: { rate: number } }).data.rate, 6)
        const app = await two.token()
        const title = async () => (await two.get('/v3/galgames/1', app)).status
        assert.equal(await title(), 200)
        await eventually(async () => warnings(one) + warnings(two) === 2, 'both have warned')
      } finally {
        await two.close()
        await one.close()
      }
    })

    it('notifications arrive through DATABASE_DIRECT_URL', async () => {
      const { listen, close } = await openDatabase({
        ...pooled,
        databaseDirectUrl: direct.databaseUrl,
      })
      let count = 0
      const listener = await listen(() => (count += 1))
      try {
        await eventually(async () => count === 1, 'it listens')
        await queryOnce(direct.databaseUrl, 'notify mokuroku_changes')
        await eventually(async () => count === 2, 'a notification has arrived')
      } finally {
        await listener.stop()
        await close()
      }
    })

    it('statements have a timeout, and other clients keep their own settings', async () => {
      const { db, close } = await open()
      const other = new pg.Client({ connectionString: pooled.databaseUrl })
      await other.connect()
      const NAMES = ['statement_timeout', 'idle_in_transaction_session_timeout', 'jit']
      const query = `select ${NAMES.map((name) => `current_setting('${name}')`).join(` || ' ' || `)} as settings`
      const settings = async (given: typeof db) =>
        (await sql<{ settings: string }>`${sql.raw(query)}`.execute(given)).rows[0]?.settings
      try {
        const before = (await other.query<{ settings: string }>(query)).rows
        const own = '4500ms 6s off'
        // Sends more statements than the pooler has sessions, so that every session is used.
        const alone = await Promise.all(Array.from({ length: 12 }, () => settings(db)))
        assert.deepEqual(new Set(alone), new Set([own]))
        assert.equal(await db.transaction().execute(settings), own)
        await assert.rejects(sql`select pg_sleep(60)`.execute(db), { code: '57014' })
        const seen = []
        for (let attempt = 0; attempt < 12; attempt += 1)
          seen.push((await other.query<{ settings: string }>(query)).rows)
        assert.deepEqual(
          seen,
          Array.from({ length: 12 }, () => before),
        )
      } finally {
        await other.end()
        await close()
      }
    })

    it('a statement that PostgreSQL once rejected runs later', async () => {
      const { db, close } = await open()
      const countOf = (id: number) =>
        sql<{ count: number }>`select count(*) as count from later where id = ${id}`.execute(db)
      try {
        await assert.rejects(countOf(1), { code: '42P01' })
        await sql`create table later (id bigint)`.execute(db)
        assert.deepEqual((await countOf(1)).rows, [{ count: 0 }])
      } finally {
        await sql`drop table if exists later`.execute(db)
        await close()
      }
    })

    it('a blocked migration names the blockers, and lets readers through between its attempts', async () => {
      const { db, close } = await open()
      const migrations = copyMigrations()
      migrations.add('9001_wider', 'alter table ratings add wider text')
      const holder = new pg.Client({
        connectionString: direct.databaseUrl,
        application_name: 'a report',
      })
      await holder.connect()
      await holder.query('begin')
      await holder.query('select count(*) from ratings')
      const blockers: unknown[] = []
      const warn = (facts: object) => void blockers.push(facts)
      try {
        const migrating = migrate(db, migrations.url, {
          log: { info: () => {}, warn },
          lockTimeoutMs: 1_000,
        })
        while (blockers.length < 2) await sql`select count(*) from ratings`.execute(db)
        await holder.query('commit')
        assert.deepEqual(await migrating, ['9001_wider'])
        assert.match(JSON.stringify(blockers), /"application":"a report".*select count/)
      } finally {
        await holder.end()
        migrations.remove()
        await sql`alter table ratings drop column if exists wider`.execute(db)
        await sql`delete from migrations where name = '9001_wider'`.execute(db)
        await close()
      }
    })

    it('commands import, rebuild the search index, back up and restore', async () => {
      const file = join(folder.path, 'backup.tar')
      const service = await start()
      try {
        for (const args of [
          ['import', 'vndb', 'sample/vndb'],
          ['search', 'reindex'],
          ['backup', file],
        ]) {
          const { status, errors } = await runCommand(args, { environment: environment() })
          assert.equal(status, 0, `${args.join(' ')}: ${errors}`)
        }
        const { status, errors } = await mokuroku(['restore', file, '--force'], {
          environment: environment(),
        })
        assert.equal(status, 1)
        assert.match(errors, /The database is in use by mokuroku/)
      } finally {
        await service.close()
      }
      // The pooler keeps the service's sessions.
      const { status, errors } = await mokuroku(['restore', file, '--force'], {
        environment: environment(),
      })
      assert.equal(status, 0, errors)
    })
  })
