import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { queryText } from '../query.ts'
import { runLongStatement } from '../server/long-transaction.ts'
import { REFERENCE_TABLES, SHARDED_TABLES } from './sharded-tables.ts'

/** Functions that statements of user data call. Each machine needs them. */
export const DISTRIBUTED_FUNCTIONS = ['later_time', 'rating_counted', 'random_id'] as const

/** Progress of the distribution in a database. */
type State = {
  /** Whether the extension Citus is enabled. */
  isAvailable: boolean
  /** Tables that are distributed or copied to every machine. */
  distributed: ReadonlySet<string>
  /** Foreign keys of user data and of the reference tables. */
  foreignKeys: ReadonlySet<string>
  /** Signatures of the functions. */
  functions: readonly string[]
}

/**
 * Foreign keys from the reference tables to their originals. The originals stay on the coordinator, so these keys are
 * dropped.
 */
const COORDINATOR_KEYS: readonly (readonly [table: string, name: string])[] = [
  ['account_refs', 'account_refs_id_fkey'],
  ['work_refs', 'work_refs_id_kind_fkey'],
]

/**
 * Returns the statements that distribute user data by account, in order. Omits those that are already done, so an
 * interrupted distribution can be continued.
 */
export function planDistribution({ distributed, foreignKeys, functions }: State): string[] {
  const drop = (table: string, name: string) =>
    foreignKeys.has(name) ? [`alter table ${table} drop constraint ${name}`] : []
  const tables = Object.entries(SHARDED_TABLES)
  const keys = tables.flatMap(([table, all]) => all.map((key) => [table, ...key] as const))
  const pending = [...REFERENCE_TABLES, ...tables.map(([table]) => table)].filter(
    (table) => !distributed.has(table),
  )
  const isIncomplete = pending.length > 0
  return [
    ...COORDINATOR_KEYS.flatMap(([table, name]) => drop(table, name)),
    ...(isIncomplete ? keys.flatMap(([table, name]) => drop(table, name)) : []),
    ...(isIncomplete
      ? functions.map((name) => `select create_distributed_function('${name}')`)
      : []),
    ...pending.map((table) =>
      table in SHARDED_TABLES
        ? `select create_distributed_table('${table}', 'account_id'${table === 'ratings' ? '' : `, colocate_with => 'ratings'`})`
        : `select create_reference_table('${table}')`,
    ),
    ...keys
      .filter(([, name]) => isIncomplete || !foreignKeys.has(name))
      .map(
        ([table, name, definition]) => `alter table ${table} add constraint ${name} ${definition}`,
      ),
  ]
}

/** True if user data is distributed over several machines. */
export const isDistributed = async (db: Database): Promise<boolean> =>
  (await listDistributed(db)).size > 0

async function listDistributed(db: Database): Promise<Set<string>> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass('pg_dist_partition') is not null as exists`.execute(db)
  if (!rows[0]?.exists) return new Set()
  const tables = await queryText<{ name: string }>(
    db,
    'select relation.relname as name from pg_dist_partition part join pg_class relation on relation.oid = part.logicalrelid',
    [],
  )
  return new Set(tables.map(({ name }) => name))
}

async function readState(db: Database): Promise<State> {
  const { rows } = await sql<{ available: boolean }>`
    select to_regproc('create_distributed_table') is not null as available`.execute(db)
  const { rows: keys } = await sql<{ name: string }>`
    select conname as name from pg_constraint where contype = 'f'`.execute(db)
  const { rows: functions } = await sql<{ name: string }>`
    select oid::regprocedure::text as name
    from pg_proc
    where proname in (${sql.join(DISTRIBUTED_FUNCTIONS.map((name) => sql.lit(name)))})
      and pronamespace = current_schema()::regnamespace
      -- A function of a table's row type is for one machine only.
      and not exists (
        select from pg_type type
        join pg_class relation on relation.oid = type.typrelid and relation.relkind = 'r'
        where type.oid = any(pg_proc.proargtypes)
      )
    order by 1`.execute(db)
  return {
    isAvailable: rows[0]?.available === true,
    distributed: await listDistributed(db),
    foreignKeys: new Set(keys.map(({ name }) => name)),
    functions: functions.map(({ name }) => name),
  }
}

/** Returns the statements that `distribute` would run, and whether the database has the extension Citus. */
export async function previewDistribution(
  db: Database,
): Promise<{ isAvailable: boolean; statements: string[] }> {
  const state = await readState(db)
  return { isAvailable: state.isAvailable, statements: planDistribution(state) }
}

/**
 * Distributes user data by account if the database has the extension Citus. Each statement is a separate transaction,
 * so an interrupted run can be repeated. The service must be stopped.
 *
 * @param onStatement called before each statement
 */
export async function distribute(
  db: Database,
  onStatement: (statement: string) => void = () => {},
): ReturnType<typeof previewDistribution> {
  const { isAvailable, statements } = await previewDistribution(db)
  if (isAvailable)
    for (const statement of statements) {
      onStatement(statement)
      await runLongStatement(db, statement)
    }
  return { isAvailable, statements }
}
