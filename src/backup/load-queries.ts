import { CompiledQuery } from 'kysely'
import { CopyData } from '../db/copy.ts'
import type { Database } from '../db/database.ts'
import { queryRow, queryRows, queryText } from '../db/query.ts'
import { VIA_POOLER } from '../db/server/session.ts'
import { statement } from '../db/statement.ts'
import { printableWithin } from '../kernel/printable.ts'
import { applyMigration, createMigrationsTable, type Migration } from '../db/upkeep/migrate.ts'
import { forgetTransactions } from '../webhooks/event-queries.ts'
import { DERIVED_TABLES } from './derived-tables.ts'
import {
  listSequences,
  listTables,
  quoted,
  sumRows,
  USE_TEXT_FORMAT,
  type Table,
} from './dump-queries.ts'
import type { BackupContent, BackupPart } from './read-backup.ts'

/** Idle time after which a pooler's session does not count as used by a running service. */
const MAX_POOLED_IDLE = '3 s'

/** Within a transaction, PostgreSQL returns the same snapshot of `pg_stat_activity` until it is cleared. */
const FORGET_SESSIONS = statement('backup.forget_sessions').sql('select pg_stat_clear_snapshot()')

const OTHER_SESSIONS = statement('backup.other_sessions').returning<{ address: string }>(`
  select distinct coalesce(host(client_addr), 'this machine') as address
  from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()
    and (
      application_name = 'mokuroku'
      or (
        application_name = 'mokuroku${VIA_POOLER}'
        and (state <> 'idle' or state_change > clock_timestamp() - interval '${MAX_POOLED_IDLE}')
      )
    )
  order by 1`)

/**
 * Lists the machines on which other mokuroku processes use the database. A pooler keeps the sessions of a stopped
 * service, but a running service uses one of them several times a second.
 *
 * @param trx transaction, so that this process keeps its session. Between transactions, a pooler could pass the session
 * on to a service, which would then not be listed
 */
export async function listUsers(trx: Database): Promise<string[]> {
  await queryRows(trx, FORGET_SESSIONS, [])
  return (await queryRows(trx, OTHER_SESSIONS, [])).map(({ address }) => address)
}

/** Conditions for the rows of a table that the migrations have not inserted. */
const OWN_ROWS: Record<string, string> = {
  kind_ratings: 'total > 0',
  apps: `client_id not like 'mokuroku-%'`,
}

const HAS_TABLES = statement('backup.has_tables').returning<{
  has_tables: boolean
  ours: boolean
}>(`
  select
    exists (select from pg_class where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace) as has_tables,
    to_regclass('migrations') is not null as ours`)

/**
 * Describes what a target contains.
 *
 * @returns the names of tables with rows, or `foreign` if another program has created tables
 */
export async function inspectTarget(db: Database): Promise<string[] | 'foreign'> {
  const found = await queryRow(db, HAS_TABLES, [])
  if (!found?.has_tables) return []
  if (!found.ours) return 'foreign'
  const filled: string[] = []
  for (const { name } of await listTables(db)) {
    const [row] = await queryText<{ is_filled: boolean }>(
      db,
      `select exists (select from "${name}" where ${OWN_ROWS[name] ?? 'true'}) as is_filled`,
      [],
    )
    if (row?.is_filled) filled.push(name)
  }
  return filled
}

const APPLIED = statement('backup.applied').returning<{ name: string; hash: string }>(
  'select name, hash from migrations order by name',
)

/** Drops all views, tables, functions, sequences and types of the schema that belong to no extension. */
const DROP_ALL = statement('backup.drop_all').sql(`
  do $$
  declare
    statement text;
  begin
    foreach statement in array array(
      select format('drop %s if exists %s cascade', case when relkind = 'v' then 'view' else 'table' end, oid::regclass)
      from pg_class
      where relkind in ('v', 'r', 'p') and relnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      order by relkind desc, relname
    )
    loop
      execute statement;
    end loop;
    -- All are named before the first is dropped: dropping one may drop others, which then have no name.
    foreach statement in array array(
      select format('drop sequence if exists %s cascade', oid::regclass) from pg_class
      where relkind = 'S' and relnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      union all
      select format('drop type if exists %s cascade', oid::regtype) from pg_type
      where (typtype in ('d', 'e') or exists (select from pg_class where oid = typrelid and relkind = 'c'))
        and typnamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_type.oid and deptype = 'e')
      union all
      select format('drop routine if exists %s cascade', oid::regprocedure) from pg_proc
      where pronamespace = current_schema()::regnamespace
        and not exists (select from pg_depend where objid = pg_proc.oid and deptype = 'e')
    )
    loop
      execute statement;
    end loop;
  end $$`)

/**
 * Gives an empty database, or one whose data will be replaced, the schema of a backup. If its schema is newer, all its
 * tables are dropped first.
 */
async function useSchema(trx: Database, migrations: readonly Migration[]) {
  await createMigrationsTable(trx)
  let applied = await queryRows(trx, APPLIED, [])
  const isPrefix = applied.every(({ name, hash }, place) => {
    const ours = migrations[place]
    return ours?.name === name && ours.hash === hash
  })
  if (!isPrefix) {
    await queryRows(trx, DROP_ALL, [])
    await createMigrationsTable(trx)
    applied = []
  }
  for (const migration of migrations.slice(applied.length)) await applyMigration(trx, migration)
}

const FOREIGN_KEYS = statement('backup.foreign_keys').returning<{ drop: string; add: string }>(`
  select
    format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as add
  from pg_constraint
  where contype = 'f' and connamespace = current_schema()::regnamespace
  order by oid`)

/** Remembers the objects of the data to replace, because a table may be dropped. */
const LIST_OBJECTS = statement('backup.list_objects').sql(`
  do $$ begin
    create temporary table replaced_objects (name text) on commit drop;
    if to_regclass('stray_objects') is not null then
      insert into replaced_objects
        select name from stray_objects
        union all
        select object from uploads where object is not null;
    end if;
  end $$`)

/** A backup has the pictures themselves. Backups of older versions lack the table; the objects then remain. */
const DISCARD_OBJECTS = statement('backup.discard_objects').sql(`
  do $$ begin
    if to_regclass('stray_objects') is not null then
      insert into stray_objects (name)
      select name from replaced_objects
      where not exists (select from uploads where object = name)
      on conflict do nothing;
    end if;
  end $$`)

const MARK_DUE = [
  DISCARD_OBJECTS,
  // The next step of the restore, or the service, begins a new epoch. Backups of older versions lack the table.
  statement('backup.reset_feed').sql(`
    do $$ begin
      if to_regclass('feed_state') is not null then
        update feed_state set epoch = coalesce(epoch, 'lost'), origin = null;
      end if;
    end $$`),
  statement('backup.reset_listings').sql('update listing_positions set position = 0'),
  statement('backup.reset_similar').sql('update similar_position set change_id = 0, works = 0'),
  statement('backup.reset_search').sql(`
    update search_progress set id = (select coalesce(max(id), 0) from catalog_changes) where name = 'changes'`),
  statement('backup.rebuild_search').sql(`
    insert into search_progress (name) values ('rebuild')
    on conflict (name) do update set kind = 0, id = 0`),
]

/** Derived tables that are not emptied. Most have a single row with the progress of a task, which `MARK_DUE` resets. */
const POSITIONS = new Set([
  'migrations',
  'change_signals',
  'deletion_clock',
  'feed_state',
  'listing_positions',
  'search_progress',
  'similar_position',
  'stray_objects',
  'webhook_position',
])

const describeTable = ({ name, columns }: Readonly<Table>) =>
  `${name} (${[...columns].toSorted().join(', ')})`

/** @throws {Error} if a backup lacks something that the target has, or the other way round */
function requireSame(what: string, saved: string[], present: string[]) {
  const different = [...new Set(saved).symmetricDifference(new Set(present))]
  if (different.length > 0)
    throw new Error(
      `The ${what} of the backup are not those of the database it is restored into: ` +
        `${printableWithin(300, different.join('; '))}. Nothing was changed.`,
    )
}

export type LoadBackupOptions = {
  /** Content of the backup, as it was verified. */
  content: BackupContent
  /** Migrations that make the backup's schema. */
  migrations: readonly Migration[]
  /** Reads the parts of the backup in order. */
  readParts: (onPart: (part: BackupPart) => Promise<void>) => Promise<unknown>
  /** Called when all rows are loaded, before their indexes and sums are checked. */
  onLoaded?: (() => void) | undefined
}

/**
 * Replaces all data with that of a backup, in the transaction `trx`, and checks that the tables then have the rows of
 * the backup. Derived tables are empty afterwards, and marked as due.
 */
export async function loadBackup(
  trx: Database,
  { content, migrations, readParts, onLoaded }: LoadBackupOptions,
): Promise<void> {
  const run = (text: string) => queryText(trx, text, [])
  await queryRows(trx, USE_TEXT_FORMAT, [])
  await queryRows(trx, LIST_OBJECTS, [])
  await useSchema(trx, migrations)
  const { tables } = content.manifest
  const present = await listTables(trx)
  requireSame('tables', tables.map(describeTable), present.map(describeTable))
  const sequences = Object.entries(content.checksums.sequences)
  requireSame(
    'sequences',
    sequences.map(([name]) => name),
    await listSequences(trx),
  )
  // No trigger may write to the change feed. Checking foreign keys at the end is faster, and then the order of the
  // tables does not matter.
  const names = tables.map(({ name }) => name)
  for (const name of names) await run(`alter table "${name}" disable trigger user`)
  const keys = await queryRows(trx, FOREIGN_KEYS, [])
  for (const { drop } of keys) await run(drop)
  const derived = Object.keys(DERIVED_TABLES).filter((name) => !POSITIONS.has(name))
  await run(`truncate ${quoted([...names, ...derived])}`)
  await readParts(async ({ table, columns, bytes }) => {
    await trx.executeQuery(
      CompiledQuery.raw(`copy "${table}" (${quoted(columns)}) from stdin`, [new CopyData(bytes)]),
    )
  })
  onLoaded?.()
  for (const { add } of keys) await run(add)
  for (const name of names) await run(`alter table "${name}" enable trigger user`)
  for (const [name, { last, is_called }] of sequences)
    await run(`select setval('"${name}"', ${last}, ${is_called})`)
  for (const step of MARK_DUE) await queryRows(trx, step, [])
  await run('analyze')
  for (const table of tables) {
    const sums = await sumRows(trx, table)
    const expected = content.checksums.tables[table.name]
    if (sums.rows !== expected?.rows || sums.sum !== expected.sum)
      throw new Error(
        `The rows of ${table.name} are not those of the backup (${sums.rows} instead of ${expected?.rows ?? 0}). Nothing was changed.`,
      )
  }
  await forgetTransactions(trx)
}
