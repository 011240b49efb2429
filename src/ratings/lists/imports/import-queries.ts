import type { WorkKind } from '../../../catalog/kinds.ts'
import { queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import { catalogChanged, noSuchAccount } from '../../../http/wire/errors/feature-refusals.ts'
import { RATING_FIELDS, type RatingFields } from '../../fields.ts'
import { columnsOf } from '../../own/sql-fragments.ts'
import { SAVE_RATINGS } from '../../own/write-statements.ts'
import type { LookupKey } from '../formats/list-row.ts'

export type MatchedWork = { workId: number; kind: WorkKind }

/** A record as far as a file can change it. */
export type StoredRating = { work_id: number } & RatingFields

/**
 * A source's own record of that id before one that another source calls the same, the first id before the next, and of
 * several works that are called the same the oldest.
 */
const MATCH = statement('ratings.match').returning<MatchedWork & { row: number }>(`
  with keys as materialized (
    select * from jsonb_to_recordset($1::jsonb)
      as key(row integer, rank integer, kind text, source text, external_id text, work_id bigint)
  ),
  found as (
    select key.row, key.rank, 0 as distance, key.kind, record.entry_id as id
    from keys key
    join source_records record
      on record.source = key.source and record.kind = key.kind and record.external_id = key.external_id
    union all
    select key.row, key.rank, 1, key.kind, record.entry_id
    from keys key
    join source_same_as link
      on link.other_source = key.source and link.kind = key.kind and link.other_external_id = key.external_id
    join source_records record
      on record.source = link.source and record.kind = link.kind and record.external_id = link.external_id
    union all
    select key.row, key.rank, 2, key.kind, key.work_id from keys key where key.work_id is not null
  )
  select distinct on (found.row) found.row, work.id as "workId", work.kind
  from found
  join shown_works work on work.id = found.id and work.kind = found.kind
  order by found.row, found.distance, found.rank, work.id`)

/** The works that keys mean, by the place of their row; those of rows that mean none are missing. */
export async function matchWorks(
  db: Database,
  rows: { place: number; keys: LookupKey[] }[],
): Promise<Map<number, MatchedWork>> {
  const keys = rows.flatMap(({ place, keys }) =>
    keys.map((key, rank) => ({ row: place, rank, ...key })),
  )
  const found = await queryRows(db, MATCH, [JSON.stringify(keys)])
  return new Map(found.map(({ row, ...work }) => [row, work]))
}

/** One by one: the planner would read all records of the reader each time. */
const RECORDED = statement('ratings.recorded').returning<StoredRating>(`
  select rating.work_id, ${columnsOf('rating', RATING_FIELDS)}
  from unnest($2::bigint[]) as wanted(work_id)
  cross join lateral (
    select * from ratings rating where rating.account_id = $1 and rating.work_id = wanted.work_id limit 1
  ) rating`)

/** What the reader has recorded of these works, by work. */
export async function findStoredRatings(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<Map<number, StoredRating>> {
  const found = await queryRows(db, RECORDED, [accountId, workIds])
  return new Map(found.map((recorded) => [recorded.work_id, recorded]))
}

const HOLD_READER = statement('ratings.import_hold_reader').returning<{ id: number }>(
  `select id from accounts where id = $1 for no key update`,
)

const HOLD_RECORDS = statement('ratings.hold_records').sql(
  `select id from ratings where account_id = $1 order by id for no key update`,
)

/**
 * Holds off, until the transaction ends, whatever else would change the reader's records: what is planned from them
 * then is what is done. Others are not held off.
 */
export async function lockRatings(trx: Database, accountId: number): Promise<void> {
  const [reader] = await queryRows(trx, HOLD_READER, [accountId])
  if (!reader) throw noSuchAccount()
  // In the order in which all who lock several of them do it.
  await queryRows(trx, HOLD_RECORDS, [accountId])
}

/** A record as it becomes. */
export type RatingWrite = { work: MatchedWork; rating: RatingFields }

/**
 * Writes whole records of works, of which the reader may have some already.
 *
 * @param trx holds the reader's records
 * @param clientId the app that writes, for the history; null: the reader, on a page of ours
 * @throws {ApiError} `COMMON_CONFLICT` when a work was taken away meanwhile
 */
export async function saveImportedRatings(
  trx: Database,
  accountId: number,
  clientId: string | null,
  writes: RatingWrite[],
): Promise<void> {
  const rows = writes.map(({ work, rating }) => ({
    ...rating,
    work_id: work.workId,
    kind: work.kind,
  }))
  try {
    await queryRows(trx, SAVE_RATINGS, [accountId, JSON.stringify(rows), clientId])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw catalogChanged(error)
  }
}
