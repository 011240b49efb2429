import type { WorkKind } from '../../../catalog/kinds.ts'
import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { isForeignKeyViolation } from '../../../db/constraint-errors.ts'
import { catalogChanged, noSuchAccount } from '../../../http/wire/errors/feature-refusals.ts'
import { RATING_FIELDS, type RatingFields } from '../../fields.ts'
import { columnsOf } from '../../own/sql-fragments.ts'
import { SAVE_RATINGS } from '../../own/write-statements.ts'
import type { LookupKey } from '../formats/list-row.ts'

export type MatchedWork = { workId: number; kind: WorkKind }

export type StoredRating = { work_id: number } & RatingFields

/**
 * Finds the works of rows. A source's own record takes precedence over another source's record that links to it, an
 * earlier key over a later one, and the oldest of several works over the rest.
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

/** Maps row indexes to the works that the rows' keys identify. */
export async function matchWorks(
  db: Database,
  rows: { index: number; keys: LookupKey[] }[],
): Promise<Map<number, MatchedWork>> {
  const keys = rows.flatMap(({ index, keys }) =>
    keys.map((key, rank) => ({ row: index, rank, ...key })),
  )
  const found = await queryRows(db, MATCH, [JSON.stringify(keys)])
  return new Map(found.map(({ row, ...work }) => [row, work]))
}

const STORED = statement('ratings.stored').returning<StoredRating>(`
  select rating.work_id, ${columnsOf('rating', RATING_FIELDS)}
  from ratings rating
  where rating.account_id = $1 and rating.work_id = any($2::bigint[])`)

export async function findStoredRatings(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<Map<number, StoredRating>> {
  const found = await queryRows(db, STORED, [accountId, workIds])
  return new Map(found.map((rating) => [rating.work_id, rating]))
}

const LOCK_ACCOUNT = statement('ratings.import_lock_account').sql(
  `select id from account_refs where id = $1 for no key update`,
)

const LOCK_RATINGS = statement('ratings.import_lock_ratings').sql(
  `select id from ratings where account_id = $1 order by id for no key update`,
)

/** Blocks other changes to the user's ratings until the transaction ends, so that the plan of an import stays valid. */
export async function lockRatings(trx: Database, accountId: number): Promise<void> {
  if (!(await queryRow(trx, LOCK_ACCOUNT, [accountId]))) throw noSuchAccount()
  await queryRows(trx, LOCK_RATINGS, [accountId])
}

export type RatingWrite = { work: MatchedWork; rating: RatingFields }

/**
 * Creates or overwrites ratings.
 *
 * @param trx transaction that has locked the user's ratings
 * @param clientId app to store in the history; null if the user imports on a page of the site
 * @throws {ApiError} `COMMON_CONFLICT` if a work has been deleted in the meantime
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
