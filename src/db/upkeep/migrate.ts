import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { takeTurn, type TurnOptions } from './take-turn.ts'
import { validateConstraints } from './validate-constraints.ts'

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
    /** Called before each migration, with its name. */
    onMigration?: ((migration: string) => void) | undefined
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
  await validateConstraints(db, options)
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
    files.map(async (file) =>
      toMigration(file.replace(/\.sql$/, ''), await readFile(new URL(file, folder), 'utf8')),
    ),
  )
}

export const toMigration = (name: string, text: string): Migration => ({
  name,
  hash: createHash('sha256').update(text).digest('hex'),
  text,
})

/** Differences between the migrations of a database and those of this program. */
export type MigrationDifferences = {
  /** Migrations that have not run yet, in order. */
  pending: string[]
  /** Migrations whose file was edited after they ran. */
  edited: string[]
  /** Migrations that this program does not know. A newer program only appends; others were replaced. */
  unknown: { name: string; isNewer: boolean }[]
}

/** Compares the migrations of a database with those of this program. Changes nothing. */
export async function compareMigrations(
  db: Database,
  folder = MIGRATIONS,
): Promise<MigrationDifferences> {
  const migrations = await readMigrations(folder)
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('migrations') is not null as exists`.execute(db)
  if (rows[0]?.exists !== true)
    return { pending: migrations.map(({ name }) => name), edited: [], unknown: [] }
  return compare(await listApplied(db), migrations)
}

const listApplied = (db: Database) =>
  db.selectFrom('migrations').select(['name', 'hash']).orderBy('name').execute()

function compare(
  applied: { name: string; hash: string }[],
  migrations: Migration[],
): MigrationDifferences {
  const known = new Map(migrations.map(({ name, hash }) => [name, hash]))
  const names = new Set(applied.map(({ name }) => name))
  const last = migrations.at(-1)?.name ?? ''
  return {
    pending: migrations.map(({ name }) => name).filter((name) => !names.has(name)),
    edited: applied
      .filter(({ name, hash }) => known.has(name) && known.get(name) !== hash)
      .map(({ name }) => name),
    // Newer programs only append migrations. If an unknown migration comes before the last known one, the files were
    // therefore replaced.
    unknown: applied
      .filter(({ name }) => !known.has(name))
      .map(({ name }) => ({ name, isNewer: name > last })),
  }
}

async function findPending(db: Database, migrations: Migration[]) {
  const { pending, edited, unknown } = compare(await listApplied(db), migrations)
  const [foreign] = unknown
  const [changed] = edited
  if (foreign && (changed === undefined || foreign.name < changed))
    throw new Error(explainUnknown(foreign))
  if (changed !== undefined)
    throw new Error(
      `Migration ${changed} was edited after it ran. Restore migrations/${changed}.sql; change the schema with a new file.`,
    )
  const names = new Set(pending)
  return migrations.filter(({ name }) => names.has(name))
}

const explainUnknown = ({ name, isNewer }: { name: string; isNewer: boolean }) =>
  isNewer
    ? `The database is newer than this program: it contains the unknown migration ${name}. Update mokuroku.`
    : `The database contains migration ${name}, which this version has replaced, so it cannot be upgraded in place. Nothing was ` +
      'changed. Move its data to an empty database with pg_dump --data-only: see “A database of an earlier schema” in ' +
      'docs/operations.md.'
