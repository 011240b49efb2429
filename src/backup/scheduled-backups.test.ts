import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { eventually } from '#test/browser.ts'
import { copyMigrations } from '#test/copy-migrations.ts'
import { createDatabase, describeOnEachDatabase, skipEmbedded } from '#test/databases.ts'
import { listenLocally } from '#test/free-port.ts'
import { CHECKOUT } from '#test/program.ts'
import { readConfig, type Config } from '../config/config.ts'
import { openDatabase } from '../db/database.ts'
import { migrate } from '../db/upkeep/migrate.ts'
import { backupFolder, listBackups } from './places/backup-folder.ts'
import { findLastBackup } from './last-backup-queries.ts'
import { readBackup } from './read-backup.ts'
import {
  backUpBeforeMigration,
  startScheduledBackups,
  type BackupContext,
} from './scheduled-backups.ts'

/** Collects the messages of a log. */
function collectLog() {
  const lines: string[] = []
  const add = (facts: object, message: string) =>
    void lines.push('err' in facts ? `${message} ${String(facts.err)}` : message)
  return { lines, log: { info: add, warn: add } }
}

async function openContext(config: Config, log = collectLog().log) {
  const database = await openDatabase(config)
  const settings = [`DATABASE_URL=${config.databaseUrl ?? ''}`, `DATA_DIR=${config.dataDir}`]
  const program = () => ['env', ...settings, process.execPath, join(CHECKOUT, 'dist/mokuroku.js')]
  const context: BackupContext = { config, database, log, program }
  return { context, close: database.close }
}

describeOnEachDatabase('scheduled backups', (engine) => {
  it(
    'are named by the clock of the database, because machines delete the oldest by name',
    { skip: skipEmbedded(engine) },
    async (t) => {
      const place = await createDatabase(engine, 'empty')
      const BACKUP_DIR = join(place.dataDir, 'backups')
      const { databaseUrl: DATABASE_URL, dataDir: DATA_DIR } = place
      const { lines, log } = collectLog()
      const { context, close } = await openContext(
        readConfig({ DATABASE_URL, DATA_DIR, BACKUP_DIR }),
        log,
      )
      try {
        t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 3_600_000 })
        const task = startScheduledBackups(context, 50)
        await eventually(() => lines.length > 0, 'a backup')
        await task.stop()
        t.mock.timers.reset()
        const [file = ''] = listBackups(BACKUP_DIR)
        const [, date, hours, minutes] = /-(\d{8})T(\d{2})(\d{2})\d{2}Z\.tar$/.exec(file) ?? []
        const taken = new Date((await readBackup(file)).manifest.taken_at)
        const named = Date.parse(
          `${date?.replace(/(....)(..)(..)/, '$1-$2-$3')}T${hours}:${minutes}:00Z`,
        )
        assert.ok(Math.abs(named - taken.getTime()) < 15 * 60_000, file)
      } finally {
        await close()
        await place.remove()
      }
    },
  )

  it('are made by one process when they are due, and the oldest are deleted beyond BACKUP_KEEP', async () => {
    const place = await createDatabase(engine, 'sample')
    const folder = join(place.dataDir, 'backups')
    const config = readConfig({
      DATABASE_URL: place.databaseUrl,
      DATA_DIR: place.dataDir,
      BACKUP_DIR: folder,
      BACKUP_KEEP: '2',
    })
    const { lines, log } = collectLog()
    const { context, close } = await openContext(config, log)
    const other = engine === 'server' ? await openContext(config, log) : undefined
    const contexts = [context, ...(other ? [other.context] : [])]
    try {
      let tasks = contexts.map((one) => startScheduledBackups(one, 50))
      await eventually(() => lines.length > 0, 'a backup')
      await Promise.all(tasks.map((task) => task.stop()))
      assert.deepEqual(lines, ['Made a backup'])
      const [first = ''] = listBackups(folder)
      assert.equal(statSync(folder).mode & 0o777, 0o700)
      const { manifest, fileBytes } = await readBackup(first)
      assert.deepEqual(await findLastBackup(context.database.db), {
        takenAt: new Date(manifest.taken_at),
        file: first,
        bytes: fileBytes,
      })
      assert.deepEqual(
        readdirSync(place.dataDir).filter((name) => name.startsWith('backup-copy-')),
        [],
      )

      // The next backup is due in a day. With this interval it is due in a second, and no sooner, because names contain
      // only whole seconds.
      for (const day of [1, 2])
        writeFileSync(join(folder, `mokuroku-2026010${day}T000000Z.tar`), 'an older one')
      writeFileSync(join(folder, 'own.tar'), 'a file of the operator')
      const [soon] = contexts
      assert.ok(soon)
      tasks = [startScheduledBackups({ ...soon, config: { ...config, backupEveryMs: 1_000 } }, 50)]
      await eventually(() => lines.length > 1, 'a backup')
      await Promise.all(tasks.map((task) => task.stop()))
      assert.ok(listBackups(folder).length === 2, listBackups(folder).join())
      assert.ok(readdirSync(folder).includes('own.tar'))
    } finally {
      await close()
      await other?.close()
      await place.remove()
    }
  })

  it('are recorded even if an old one cannot be deleted', async () => {
    const place = await createDatabase(engine, 'empty')
    const folder = join(place.dataDir, 'backups')
    // A folder with the name of a backup cannot be deleted as a file.
    mkdirSync(join(folder, 'mokuroku-20260101T000000Z.tar'), { recursive: true })
    const { lines, log } = collectLog()
    const { context, close } = await openContext(
      readConfig({
        DATABASE_URL: place.databaseUrl,
        DATA_DIR: place.dataDir,
        BACKUP_DIR: folder,
        BACKUP_KEEP: '1',
      }),
      log,
    )
    try {
      const task = startScheduledBackups(context, 50)
      await eventually(() => lines.length > 1, 'a backup')
      await task.stop()
      assert.match(lines[0] ?? '', /^Could not delete the oldest backups; .*EISDIR/)
      assert.deepEqual(lines.slice(1), ['Made a backup'])
      const last = await findLastBackup(context.database.db, 'scheduled')
      assert.equal(last?.file, listBackups(folder).at(-1))
    } finally {
      await close()
      await place.remove()
    }
  })

  it('delete no old one if more than five uploaded pictures are missing', async () => {
    const place = await createDatabase(engine, 'empty')
    const folder = join(place.dataDir, 'backups')
    mkdirSync(folder)
    for (const day of [1, 2])
      writeFileSync(join(folder, `mokuroku-2026010${day}T000000Z.tar`), 'an older one')
    const { lines, log } = collectLog()
    const config = readConfig({
      DATABASE_URL: place.databaseUrl,
      DATA_DIR: place.dataDir,
      BACKUP_DIR: folder,
      BACKUP_KEEP: '1',
    })
    const { context, close } = await openContext(config, log)
    const { db } = context.database
    const backUp = async () => {
      lines.length = 0
      const task = startScheduledBackups(
        { ...context, config: { ...config, backupEveryMs: 1_000 } },
        50,
      )
      await eventually(() => lines.some((line) => line.startsWith('Made')), 'a backup')
      await task.stop()
      return lines[0] ?? ''
    }
    try {
      const id = await addAccount(db, { email: 'a@example.org', name: 'Ei', password: 'x' })
      await sql`
        insert into uploads (account_id, hash, object)
        select ${id}, lpad(number::text, 43, 'x'), 'uploads/' || number
        from generate_series(1, 6) number`.execute(db)
      assert.match(
        await backUp(),
        /^The backup lacks uploaded pictures .* No old backup was deleted/,
      )
      assert.ok(listBackups(folder).length > 2)
      await sql`delete from uploads where object = 'uploads/1'`.execute(db)
      assert.match(await backUp(), /^The backup lacks uploaded pictures .* BUCKET_PREFIX\.$/)
      assert.equal(listBackups(folder).length, 1)
    } finally {
      await close()
      await place.remove()
    }
  })

  it('log a failure with a remedy, and delete nothing', async () => {
    const place = await createDatabase(engine, 'empty')
    const folder = join(place.dataDir, 'backups')
    writeFileSync(folder, 'not a folder')
    const { lines, log } = collectLog()
    const { context, close } = await openContext(
      readConfig({ DATABASE_URL: place.databaseUrl, DATA_DIR: place.dataDir, BACKUP_DIR: folder }),
      log,
    )
    try {
      const task = startScheduledBackups(context, 50)
      await eventually(() => lines.length > 0, 'a backup')
      await task.stop()
      assert.match(
        lines.join(),
        /^The scheduled backup failed and will be retried within an hour\. /,
      )
      assert.equal(await findLastBackup(context.database.db), undefined)
    } finally {
      await close()
      await place.remove()
    }
  })
})

describe('scheduled backups in a silent bucket', () => {
  it('stop at once while the oldest are being deleted', { timeout: 60_000 }, async () => {
    const place = await createDatabase('server', 'empty')
    const silent = createServer(() => {})
    const port = await listenLocally(silent)
    const { lines, log } = collectLog()
    const { context, close } = await openContext(
      readConfig({
        DATABASE_URL: place.databaseUrl,
        DATA_DIR: place.dataDir,
        BUCKET_URL: `http://127.0.0.1:${port}/bucket`,
        BUCKET_ACCESS_KEY: 'key',
        BUCKET_SECRET_KEY: 'secret',
        BACKUP_EVERY: '1d',
      }),
      log,
    )
    const made = { file: 'a', bytes: 1, rows: 1, taken_at: new Date(), missing_uploads: 0 }
    const print = `console.log(${JSON.stringify(JSON.stringify(made))})`
    try {
      const connected = once(silent, 'connection')
      const task = startScheduledBackups(
        { ...context, program: () => [process.execPath, '--eval', print] },
        50,
      )
      await connected
      await task.stop()
      assert.deepEqual(lines, ['Made a backup'])
    } finally {
      silent.close()
      await close()
      await place.remove()
    }
  })
})

describe('an embedded database with data', () => {
  it('is backed up before it is migrated', async () => {
    const place = await createDatabase('embedded', 'empty')
    const migrations = copyMigrations()
    const { context, close } = await openContext(readConfig({ DATA_DIR: place.dataDir }))
    const { db } = context.database
    const run = (changed: BackupContext) =>
      migrate(db, migrations.url, { onUpgrade: (name) => backUpBeforeMigration(changed, name) })
    try {
      assert.deepEqual(await run(context), [])
      const folder = backupFolder(context.config) ?? ''
      assert.deepEqual(listBackups(folder), [])
      migrations.add('9990_later', 'create table later (id bigint)')
      const blocked = { ...context, config: { ...context.config, backupDir: '/dev/null/x' } }
      await assert.rejects(
        run(blocked),
        /^Error: The backup before migration 9990_later failed: .* set BACKUP_EVERY=off to migrate without a backup\.$/,
      )
      assert.deepEqual(await run(context), ['9990_later'])
      const [file = ''] = listBackups(folder)
      assert.match(file, /-before-9990_later\.tar$/)
      const { manifest } = await readBackup(file)
      assert.ok(!manifest.migrations.some(({ name }) => name === '9990_later'))
      assert.equal((await findLastBackup(db))?.file, file)
      assert.equal(await findLastBackup(db, 'scheduled'), undefined)
    } finally {
      await close()
      migrations.remove()
      await place.remove()
    }
  })
})
