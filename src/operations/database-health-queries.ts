import { queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'
import type { Database } from '../db/database.ts'
import { findWaitingDeltas, MAX_COUNTED } from './metrics/state-queries.ts'

/** State of the database, for the operator. */
export type DatabaseHealth = {
  version: string
  bytes: number
  /** Number of connections to this database from all clients. */
  connections: number
  last_migration: string
  /** Last pass of the vacuum of the embedded database that had something to do. */
  vacuum: { at: string; tables: number } | null
  /** Counted up to `MAX_COUNTED`. */
  pending: { mails: number; failed_mails: number; rating_deltas: number; vote_deltas: number }
  /** Duration of this query, in milliseconds. */
  answered_in: number
}

type Found = Omit<DatabaseHealth, 'answered_in' | 'pending'> & {
  pending: Pick<DatabaseHealth['pending'], 'mails' | 'failed_mails'>
}

const CHECK_HEALTH = statement('operations.check_health').returning<Found>(`
  select
    current_setting('server_version') as version,
    pg_database_size(current_database()) as bytes,
    (select count(*) from pg_stat_activity where datname = current_database()) as connections,
    (select max(name) from migrations) as last_migration,
    (
      select jsonb_build_object('at', value ->> 'vacuumed_at', 'tables', (value ->> 'tables')::integer)
      from installation where name = 'upkeep'
    ) as vacuum,
    jsonb_build_object(
      'mails', (select count(*) from (select from mails where failed_at is null limit ${MAX_COUNTED}) counted),
      'failed_mails', (select count(*) from (select from mails where failed_at is not null limit ${MAX_COUNTED}) counted)
    ) as pending`)

export async function findDatabaseHealth(db: Database): Promise<DatabaseHealth> {
  const began = performance.now()
  const [found] = await queryRows(db, CHECK_HEALTH, [])
  if (!found) throw new Error('The query of the database health returned no row')
  const answered_in = Math.round((performance.now() - began) * 10) / 10
  const { ratings, votes } = await findWaitingDeltas(db)
  const pending = { ...found.pending, rating_deltas: ratings.count, vote_deltas: votes.count }
  return { ...found, pending, answered_in }
}

export type KeyAge = {
  kid: string
  alg: string
  created_at: Date
  signs_from: Date
  retired_at: Date | null
}

const LIST_KEYS = statement('operations.list_keys').returning<KeyAge>(
  'select kid, alg, created_at, signs_from, retired_at from signing_keys order by created_at desc, kid',
)

/** Lists the signing keys without their secret parts, newest first. */
export const listKeyAges = (db: Database): Promise<KeyAge[]> => queryRows(db, LIST_KEYS, [])

const LIST_IMPORT_TIMES = statement('operations.list_import_times').returning<{
  source: string
  ended_at: Date
}>(`
  select source, max(ended_at) as ended_at
  from import_runs
  where outcome = 'done'
  group by source
  order by source`)

/** Returns when the last successful import of each source ended, in ISO 8601, keyed by source. */
export async function findImportTimes(db: Database): Promise<Record<string, string>> {
  const rows = await queryRows(db, LIST_IMPORT_TIMES, [])
  return Object.fromEntries(rows.map(({ source, ended_at }) => [source, ended_at.toISOString()]))
}

/** State of the imports of a source. */
export type ImportState = {
  source: string
  /** End of the last successful import; null before the first one. */
  succeeded_at: Date | null
  /** Number of the last import if it failed or was refused, else null. */
  failed_run: number | null
  failed_outcome: string | null
  failed_at: Date | null
}

const LIST_IMPORT_STATES = statement('operations.list_import_states').returning<ImportState>(`
  select
    source,
    max(ended_at) filter (where outcome = 'done') as succeeded_at,
    (array_agg(id order by id desc) filter (where is_last and outcome <> 'done'))[1] as failed_run,
    max(outcome) filter (where is_last and outcome <> 'done') as failed_outcome,
    max(ended_at) filter (where is_last and outcome <> 'done') as failed_at
  from (
    select source, id, outcome, ended_at, id = max(id) over (partition by source) as is_last
    from import_runs
    where outcome is not null
  ) runs
  group by source
  order by source`)

/** Returns the last success of each source, and its last failure unless an import has succeeded since. */
export const listImportStates = (db: Database): Promise<ImportState[]> =>
  queryRows(db, LIST_IMPORT_STATES, [])
