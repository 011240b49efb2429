import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { takeTurn, type TurnOptions } from './take-turn.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)

export type Migration = { name: string; hash: string; text: string }

/**
 * Brings the schema up to date by running every pending file of `migrations/` in name order, each in its own
 * transaction. Several processes may call it at once, also while a service runs.
 *
 * @param folder ends with a slash; tests use a different one
 * @returns the names of the migrations it ran
 * @throws {Error} if a migration was edited after it ran, the database is newer than this program or has migrations
 * that were replaced, or a lock was never granted
 */
export async function migrate(
  db: Database,
  folder = MIGRATIONS,
  options: TurnOptions & {
    /** Called before the first migration of a database that has data, with its name. */
    onUpgrade?: ((migration: string) => Promise<void>) | undefined
    onMigration?: ((name: string) => void) | undefined
  } = {},
): Promise<string[]> {
  // Must also run under the lock: concurrent `create table if not exists` statements can fail.
  await takeTurn(db, 'none yet', createMigrationsTable, options)
  const migrations = await readMigrations(folder)
  const pending = await findPending(db, migrations)
  // On a new database, every migration runs, so logging each one is pointless.
  const isNew = pending.length === migrations.length
  if (!isNew && pending[0]) await options.onUpgrade?.(pending[0].name)
  const applied: string[] = []
  for (const { name, hash, text } of pending) {
    const run = async (trx: Database) => {
      const applied = await trx
        .selectFrom('migrations')
        .select('name')
        .where('name', '=', name)
        .executeTakeFirst()
      if (applied) return false
      options.onMigration?.(name)
      if (!isNew) options.log?.info({ migration: name }, 'Starting a migration')
      await applyMigration(trx, { name, hash, text })
      return true
    }
    if (await takeTurn(db, name, run, options)) applied.push(name)
  }
  return applied
}

/**
 * Checks the schema of a database that a running service has open. Migrations would change it under the service.
 *
 * @throws {Error} if the schema is older or newer than this program
 */
export async function requireMigrated(db: Database, folder = MIGRATIONS): Promise<void> {
  const [pending] = await findPending(db, await readMigrations(folder))
  if (pending)
    throw new Error(
      `The running service is older than this program: its database lacks migration ${pending.name}. ` +
        'Restart the service with this version first.',
    )
}

/** Creates the table in which applied migrations are recorded. */
export async function createMigrationsTable(trx: Database) {
  await sql`create table if not exists migrations (
    name text primary key, hash text not null, applied_at timestamptz(3) not null default now())`.execute(
    trx,
  )
}

/** Runs one migration and records it, in the transaction `trx`. */
export async function applyMigration(trx: Database, { name, hash, text }: Migration) {
  await sql.raw(text).execute(trx)
  await trx.insertInto('migrations').values({ name, hash }).execute()
}

/** Reads the migrations of this program, in order. */
export async function readMigrations(folder = MIGRATIONS): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8')
      return {
        name: file.replace(/\.sql$/, ''),
        hash: createHash('sha256').update(text).digest('hex'),
        text,
      }
    }),
  )
}

async function findPending(db: Database, migrations: Migration[]) {
  const applied = await db
    .selectFrom('migrations')
    .select(['name', 'hash'])
    .orderBy('name')
    .execute()
  for (const { name, hash } of applied) {
    const known = migrations.find((migration) => migration.name === name)
    if (!known) throw new Error(explainUnknown(name, migrations))
    if (known.hash !== hash)
      throw new Error(
        `Migration ${name} was edited after it ran. Restore migrations/${name}.sql; change the schema with a new file.`,
      )
  }
  const names = new Set(applied.map(({ name }) => name))
  return migrations.filter(({ name }) => !names.has(name))
}

/**
 * Newer programs only append migrations. If an unknown migration comes before the last known one, the files were
 * therefore replaced.
 */
const explainUnknown = (name: string, migrations: Migration[]) =>
  name > (migrations.at(-1)?.name ?? '')
    ? `The database is newer than this program: it has the unknown migration ${name}. Update mokuroku.`
    : `The database has migration ${name}, which this version has replaced, so it cannot be upgraded in place. Nothing was ` +
      'changed. Move its data to an empty database with pg_dump --data-only: see “A database of an earlier schema” in ' +
      'docs/operations.md.'
