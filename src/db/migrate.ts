import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { inLongTransaction } from './long-transaction.ts'

const MIGRATIONS = new URL('../../migrations/', import.meta.url)
/** Of the advisory lock that the process that migrates holds: any number, the same in all of them. */
const LOCK = 7_301_955

type Migration = { name: string; hash: string; text: string }

/**
 * Brings the schema up to date: every file of `migrations/` that has not run yet, in name order, each in a transaction
 * of its own. Several processes may call it at once.
 *
 * @param folder ends with a slash; another one is for tests
 * @returns the names of the migrations that ran now
 * @throws {Error} when a migration that has run was edited since, or the database is newer than this program
 */
export async function migrate(db: Database, folder = MIGRATIONS): Promise<string[]> {
  await inLongTransaction(db, Infinity, async (trx) => {
    // Under the lock too: two processes that create one table at once fail, `if not exists` or not.
    await takeLock(trx)
    await sql`create table if not exists migrations (
      name text primary key, hash text not null, applied_at timestamptz(3) not null default now())`.execute(
      trx,
    )
  })
  const migrations = await readMigrations(folder)
  const pending = await findPending(db, migrations)
  const ran: string[] = []
  for (const { name, hash, text } of pending) {
    const ranHere = await inLongTransaction(db, Infinity, async (trx) => {
      await takeLock(trx)
      const applied = await trx
        .selectFrom('migrations')
        .select('name')
        .where('name', '=', name)
        .executeTakeFirst()
      if (applied) return false
      await sql.raw(text).execute(trx)
      await trx.insertInto('migrations').values({ name, hash }).execute()
      return true
    })
    if (ranHere) ran.push(name)
  }
  return ran
}

/** Waits for another process that migrates, however long that takes, or a migration of our own. */
async function takeLock(trx: Database) {
  await sql`select pg_advisory_xact_lock(${LOCK}::bigint)`.execute(trx)
}

async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      return { name: file.replace(/\.sql$/, ''), hash: createHash('sha256').update(text).digest('hex'), text }
    }),
  )
}

async function findPending(db: Database, migrations: Migration[]) {
  const applied = await db.selectFrom('migrations').select(['name', 'hash']).orderBy('name').execute()
  for (const { name, hash } of applied) {
    const ours = migrations.find((migration) => migration.name === name)
    if (!ours)
      throw new Error(
        `The database has migration ${name}, which this program does not know: it is newer. Update mokuroku.`,
      )
    if (ours.hash !== hash)
      throw new Error(
        `Migration ${name} was edited after it ran. Restore migrations/${name}.sql; change the schema with a new file.`,
      )
  }
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}
