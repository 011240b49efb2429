import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import {
  asAdmin,
  createDatabase,
  databaseAt,
  describeOnEachDatabase,
  runnerVariable,
  type TestDatabase,
} from '#test/databases.ts'
import { copyMigrations } from '#test/copy-migrations.ts'
import { withTestDatabase } from '#test/open-database.ts'
import { temporaryFolder } from '#test/program.ts'
import { createAccounts } from '#test/ratings.ts'
import { runCommand } from '#test/run-command.ts'
import { startService } from '#test/service.ts'
import { readConfig } from '../config/config.ts'
import { openDatabase, type Database } from '../db/database.ts'
import { migrate } from '../db/upkeep/migrate.ts'
import { deliverEvents } from '../webhooks/event-queries.ts'
import { makeBackup } from './make-backup.ts'

const folder = temporaryFolder()
const sample = join(folder.path, 'sample.tar')
const SECRET_KEY = 's'.repeat(40)

const environmentOf = ({ databaseUrl, dataDir }: TestDatabase, more: NodeJS.ProcessEnv = {}) => ({
  DATABASE_URL: databaseUrl,
  DATA_DIR: dataDir,
  ...more,
})

const restore = (
  place: TestDatabase,
  file: string,
  { force = false, secretKey }: { force?: boolean; secretKey?: string } = {},
) =>
  runCommand(['restore', file, '--json', ...(force ? ['--force'] : [])], {
    environment: environmentOf(place, { SECRET_KEY: secretKey }),
  })

const countAccounts = (place: TestDatabase) =>
  withTestDatabase(place, async (db) => {
    const { rows } = await sql<{ amount: number }>`select count(*) as amount from accounts`.execute(
      db,
    )
    return rows[0]?.amount
  })

/** Adds an app that may see an account's records, with a webhook endpoint. */
async function followChanges(db: Database, accountId: number) {
  await sql`
    with app as (
      insert into apps (client_id, client_name, account_id, client_type, token_endpoint_auth_method, redirect_uris, scopes)
      values ('follower', 'Follower', ${accountId}, 'public', 'none', '["https://app.example/back"]', '["status:read"]')
      returning client_id
    ), consent as (
      insert into consents (account_id, client_id, scopes) select ${accountId}, client_id, '["status:read"]' from app
    )
    insert into webhook_endpoints (client_id, url, events, secret, feed_id)
    select client_id, 'https://app.example/hook', '["record.changed"]', 'whsec_', 0 from app`.execute(
    db,
  )
}

/** @param ahead added to the id of the current transaction, which the change then has */
const addChange = (db: Database, accountId: number, ahead: number) =>
  sql`
    insert into rating_changes (account_id, kind, work_id, action, fields, transaction_id)
    values (
      ${accountId}, 'galgame', 1, 'CREATED', '{}',
      (pg_current_xact_id()::text::bigint + ${ahead}::bigint)::text::xid8
    )`.execute(db)

const countDeliveries = async (db: Database) =>
  (await sql`select from webhook_deliveries where event = 'record.changed'`.execute(db)).rows.length

/** Returns the epoch of a feed, and how many ids it skips. */
const readFeed = (place: TestDatabase) =>
  withTestDatabase(place, async (db) => {
    const { rows } = await sql<{ epoch: string; skipped: number }>`
      select epoch, id_floor - (select coalesce(max(id), 0) from catalog_changes) as skipped
      from feed_state`.execute(db)
    const [feed] = rows
    assert.ok(feed)
    return feed
  })

/** Makes a backup of a database whose schema lacks the last migration, with three accounts. */
async function makeOlderBackup(file: string) {
  const place = await createDatabase('server', 'nothing')
  const migrations = copyMigrations()
  const last = readdirSync(migrations.path).toSorted().at(-1) ?? ''
  rmSync(join(migrations.path, last))
  const config = readConfig({ DATABASE_URL: place.databaseUrl, DATA_DIR: place.dataDir })
  const database = await openDatabase(config)
  try {
    await migrate(database.db, migrations.url)
    await createAccounts(database.db, 3)
    await makeBackup(config, database, file)
    return last.replace('.sql', '')
  } finally {
    await database.close()
    await place.remove()
    migrations.remove()
  }
}

before(async () => {
  const source = await createDatabase('server', 'sample')
  const made = await runCommand(['backup', sample], { environment: environmentOf(source) })
  await source.remove()
  assert.equal(made.status, 0, made.errors)
})
after(() => folder.remove())

describeOnEachDatabase('a restore', (engine) => {
  it('replaces existing data only with --force, and begins a new epoch of the feed each time', async () => {
    const target = await createDatabase(engine, 'empty')
    try {
      await withTestDatabase(target, (db) => createAccounts(db, 2))
      const refused = await restore(target, sample)
      assert.equal(refused.status, 1)
      assert.match(
        refused.errors,
        engine === 'server'
          ? /^The database has data \(account_refs, accounts\)\. Replace all of it with --force\.\n$/
          : /^\S+ has a database\. Replace it with --force, which keeps its files\.\n$/,
      )
      assert.equal(await countAccounts(target), 2)
      const forced = await restore(target, sample, { force: true })
      assert.equal(forced.status, 0, forced.errors)
      assert.equal(await countAccounts(target), 0)
      const first = await readFeed(target)
      assert.equal((await restore(target, sample, { force: true })).status, 0)
      const second = await readFeed(target)
      for (const { skipped } of [first, second])
        assert.ok(skipped >= 10_000_000 && skipped < 41_000_000, `${skipped}`)
      assert.notEqual(first.epoch, second.epoch)
      assert.notEqual(first.skipped, second.skipped)
    } finally {
      await target.remove()
    }
  })

  it('is refused while a service uses the database', async () => {
    const service = await startService({ engine })
    try {
      const { status, errors } = await restore(
        { ...service.config, remove: async () => {} },
        sample,
        { force: true },
      )
      assert.equal(status, 1)
      assert.match(
        errors,
        engine === 'server'
          ? /^The database is in use by mokuroku \(from 127\.0\.0\.1\)\. Stop the service first\.\n$/
          : /^Another mokuroku process is using the database in /,
      )
    } finally {
      await service.close()
    }
  })

  it('upgrades a backup with an earlier schema, even in a database with a newer one', async () => {
    const file = join(folder.path, `older-${engine}.tar`)
    const last = await makeOlderBackup(file)
    for (const content of ['nothing', 'sample'] as const) {
      const target = await createDatabase(engine, content)
      try {
        const { status, output, errors } = await restore(target, file, {
          force: content === 'sample',
        })
        assert.equal(status, 0, errors)
        const { migrated } = JSON.parse(output) as { migrated: string[] }
        assert.deepEqual(migrated, [last])
        assert.equal(await countAccounts(target), 3)
        assert.ok((await readFeed(target)).skipped >= 10_000_000)
        const again = await runCommand(['migrate'], { environment: environmentOf(target) })
        assert.equal(again.output, 'The schema is up to date.\n')
      } finally {
        await target.remove()
      }
    }
  })

  it('reports no restored change to webhooks when later transactions have the same ids', async () => {
    const target = await createDatabase(engine, 'empty')
    const file = join(folder.path, `changes-${engine}.tar`)
    try {
      await withTestDatabase(target, async (db) => {
        const [accountId = 0] = await createAccounts(db, 1)
        await followChanges(db, accountId)
        await addChange(db, accountId, 20_000)
      })
      const made = await runCommand(['backup', file], { environment: environmentOf(target) })
      assert.equal(made.status, 0, made.errors)
      assert.equal((await restore(target, file, { force: true })).status, 0)
      await withTestDatabase(target, async (db) => {
        await deliverEvents(db)
        await sql`
          do $$ begin
            create temporary table used (number int);
            for number in 1 .. 25000 loop
              begin
                insert into used values (number);
              exception when unique_violation then null;
              end;
            end loop;
          end $$`.execute(db)
        await deliverEvents(db)
        assert.equal(await countDeliveries(db), 0)
        const { rows } = await sql<{ id: number }>`select id from accounts`.execute(db)
        await addChange(db, rows[0]?.id ?? 0, 0)
        await deliverEvents(db)
        assert.equal(await countDeliveries(db), 1)
      })
    } finally {
      await target.remove()
    }
  })

  it('requires the SECRET_KEY of the backup before it changes anything', async () => {
    const source = await createDatabase(engine, 'empty')
    const file = join(folder.path, `sealed-${engine}.tar`)
    const rotate = await runCommand(['keys', 'rotate', '--now'], {
      environment: environmentOf(source, { SECRET_KEY }),
    })
    assert.equal(rotate.status, 0, rotate.errors)
    // A backup needs no key.
    const made = await runCommand(['backup', file], { environment: environmentOf(source) })
    assert.equal(made.status, 0, made.errors)
    await source.remove()
    const target = await createDatabase(engine, 'nothing')
    try {
      const missing = await restore(target, file)
      assert.match(
        missing.errors,
        /are encrypted: set SECRET_KEY to the value they were made with\.\n$/,
      )
      const wrong = await restore(target, file, { secretKey: 'w'.repeat(40) })
      assert.match(wrong.errors, /are encrypted with another key: set SECRET_KEY /)
      assert.deepEqual([missing.status, wrong.status], [1, 1])
      assert.deepEqual(
        readdirSync(target.dataDir).filter((name) => name.startsWith('postgres')),
        [],
      )
      const right = await restore(target, file, { secretKey: SECRET_KEY })
      assert.equal(right.status, 0, right.errors)
    } finally {
      await target.remove()
    }
  })
})

describe('a restore into a server', () => {
  it('is refused if another program has tables there', async () => {
    const target = await createDatabase('server', 'nothing')
    try {
      await withTestDatabase(target, (db) => sql`create table theirs (id bigint)`.execute(db))
      const { status, errors } = await restore(target, sample, { force: true })
      assert.equal(status, 1)
      assert.equal(
        errors,
        'The database has tables of another program. Restore into an empty database.\n',
      )
    } finally {
      await target.remove()
    }
  })

  it('needs no superuser, only the owner of the database', async () => {
    const admin = runnerVariable('MOKUROKU_TEST_POSTGRES')
    const target = await createDatabase('server', 'nothing')
    const name = new URL(target.databaseUrl ?? '').pathname.slice(1)
    const role = `${name}_owner`
    try {
      await asAdmin(admin, `create role "${role}" login`)
      await asAdmin(admin, `alter database "${name}" owner to "${role}"`)
      const url = new URL(databaseAt(admin, name))
      url.username = role
      const place = { ...target, databaseUrl: url.href }
      for (const force of [false, true]) {
        const { status, errors } = await restore(place, sample, { force })
        assert.equal(status, 0, errors)
      }
    } finally {
      await target.remove()
      await asAdmin(admin, `drop role if exists "${role}"`)
    }
  })
})

describe('a backup on a full disk', () => {
  it('fails with a one-line error and leaves no file', async (test) => {
    const disk = temporaryFolder()
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk.path])
    const source = await createDatabase('server', 'sample')
    try {
      if (mounted.status !== 0) {
        test.skip('no file system can be mounted here')
        return
      }
      const { status, errors } = await runCommand(['backup', join(disk.path, 'full.tar')], {
        environment: environmentOf(source),
      })
      assert.equal(status, 1)
      assert.match(errors, /^[^\n]*no space left on device[^\n]*\n$/i)
      assert.deepEqual(readdirSync(disk.path), [])
    } finally {
      spawnSync('umount', [disk.path])
      disk.remove()
      await source.remove()
    }
  })
})
