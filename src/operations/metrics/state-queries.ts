import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'

/** Maximum number of rows counted, so that a long queue does not slow the statement. */
export const MAX_COUNTED = 100_000

/** Ids of the first and the last waiting row, both null if no row is waiting. */
export type Waiting = { count: number; first: number | null; last: number | null }

export type ServiceState = {
  /** Current time of the database, in seconds since 1970. */
  now: number
  schema: string | null
  writable: boolean | null
  bytes: number
  xid_age: number
  ratings: Waiting
  votes: Waiting
  feed: Waiting
  changes: { last: number; listed: number; indexed: number }
  totals: { last: number; listed: number }
  readers_due: number
  mails: { due: number; in_hand: number; failed: number; oldest_seconds: number }
  webhooks: {
    pending: number
    lag_seconds: number
    working: number
    failing: number
    disabled: number
  }
  key_age_seconds: number
  /** Last successful backup. */
  backup: { taken_at: string; bytes: number } | null
  /** Times in seconds since 1970. */
  imports: {
    source: string
    success: number | null
    failure: number | null
    dump: number | null
    rows: number
  }[]
}

/** SQL for the size of a queue with user data, which no statement may join with other tables (decision 0039). */
const waitingIn = (table: string) => `
  select count, first, last
  from (select count(*) as count from (select id from ${table} limit ${MAX_COUNTED}) counted) waiting
  cross join (select min(id) as first, max(id) as last from ${table}) ends`

const WAITING_RATINGS = statement('operations.waiting_ratings').returning<Waiting>(
  waitingIn('rating_deltas'),
)
const WAITING_VOTES = statement('operations.waiting_votes').returning<Waiting>(
  waitingIn('vote_deltas'),
)

/** State of the service without the queues of user data. Everything except counting the queues takes constant time. */
const READ_STATE = statement('operations.read_state').returning<
  Omit<ServiceState, 'ratings' | 'votes'>
>(`
  select
    extract(epoch from clock_timestamp())::double precision as now,
    (select max(name) from migrations) as schema,
    not (pg_is_in_recovery() or current_setting('transaction_read_only')::boolean) as writable,
    pg_database_size(current_database()) as bytes,
    (select age(datfrozenxid) from pg_database where datname = current_database()) as xid_age,
    (
      select jsonb_build_object(
        'count', (select count(*) from (select from catalog_changes_due limit ${MAX_COUNTED}) counted),
        'first', min(position),
        'last', max(position)
      ) from catalog_changes_due
    ) as feed,
    jsonb_build_object(
      'last', (select coalesce(max(id), 0) from catalog_changes),
      'listed', (select position from listing_positions where name = 'changes'),
      'indexed', (select id from search_progress where name = 'changes')
    ) as changes,
    jsonb_build_object(
      'last', (select coalesce(max(revision), 0) from work_totals),
      'listed', (select position from listing_positions where name = 'totals')
    ) as totals,
    (select count(*) from (select from search_readers_due limit ${MAX_COUNTED}) counted) as readers_due,
    (
      select jsonb_build_object(
        'due', count(*) filter (where failed_at is null and not is_in_hand),
        'in_hand', count(*) filter (where failed_at is null and is_in_hand),
        'failed', count(*) filter (where failed_at is not null),
        'oldest_seconds', coalesce(extract(epoch from now() - min(created_at) filter (where failed_at is null)), 0)
      ) from mails
    ) as mails,
    (
      select jsonb_build_object(
        'pending', (select count(*) from (select from webhook_deliveries where next_attempt_at is not null limit ${MAX_COUNTED}) counted),
        'lag_seconds', (
          select coalesce(extract(epoch from now() - min(created_at)), 0)
          from webhook_deliveries where next_attempt_at <= now() and attempts = 0
        ),
        'working', count(*) filter (where disabled_at is null and failing_since is null),
        'failing', count(*) filter (where disabled_at is null and failing_since is not null),
        'disabled', count(*) filter (where disabled_at is not null)
      ) from webhook_endpoints
    ) as webhooks,
    (
      select coalesce(extract(epoch from now() - min(since)), 0)::double precision
      from (
        select max(signs_from) as since from signing_keys
        where signs_from <= now() and retired_at is null
        group by alg
      ) signing
    ) as key_age_seconds,
    (select value from installation where name = 'last_backup') as backup,
    (
      select coalesce(jsonb_agg(to_jsonb(run)), '[]')
      from (
        select
          source,
          extract(epoch from max(ended_at) filter (where outcome = 'done')) as success,
          extract(epoch from max(ended_at) filter (where outcome <> 'done')) as failure,
          extract(epoch from max(dump_date) filter (where outcome = 'done')) as dump,
          coalesce(sum(
            (select sum((kind->>'created')::bigint + (kind->>'changed')::bigint + (kind->>'unchanged')::bigint)
             from jsonb_array_elements(kinds) kind)
          ), 0) as rows
        from import_runs
        group by source
      ) run
    ) as imports`)

export async function findServiceState(db: Database): Promise<ServiceState> {
  const [state, { ratings, votes }] = await Promise.all([
    queryRow(db, READ_STATE, []),
    findWaitingDeltas(db),
  ])
  if (!state) throw new Error('The query for the state of the service returned no row')
  return { ...state, ratings, votes }
}

/** Returns the changes of ratings and votes that the totals do not contain yet. */
export async function findWaitingDeltas(
  db: Database,
): Promise<{ ratings: Waiting; votes: Waiting }> {
  const none: Waiting = { count: 0, first: null, last: null }
  const [ratings = none, votes = none] = await Promise.all([
    queryRow(db, WAITING_RATINGS, []),
    queryRow(db, WAITING_VOTES, []),
  ])
  return { ratings, votes }
}

const HAS_MIGRATION = statement('operations.has_migration').returning<{ known: boolean | null }>(
  'select exists (select from migrations where name = $1) as known',
)

/** Whether a migration has run in the database. */
export const hasMigration = async (db: Database, name: string) =>
  (await queryRow(db, HAS_MIGRATION, [name]))?.known === true

const LAST_MIGRATION = statement('operations.last_migration').returning<{ name: string | null }>(
  'select max(name) as name from migrations',
)

/** Returns the name of the last migration in the database. */
export const findLastMigration = async (db: Database) =>
  (await queryRow(db, LAST_MIGRATION, []))?.name ?? undefined
