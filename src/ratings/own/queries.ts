import { queryRows } from '../../db/query.ts'
import type { Database } from '../../db/database.ts'
import { isForeignKeyViolation } from '../../db/constraint-errors.ts'
import { workRef } from '../../catalog/sql-fragments.ts'
import { whyMissing } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { offsetAndLimit, type Page } from '../../http/wire/paging.ts'
import { ALL_SUB_SCORES, type RatingChange, type Status, type SubScore } from '../fields.ts'

/** A record as it is kept; sub-scores of other kinds of works are null. */
export type Rating = {
  id: number
  created_at: Date
  updated_at: Date
  like_count: number
  dislike_count: number
  is_spoiler: boolean
  rate: number | null
  rate_content: string
  status: Status
  status_private: boolean
  time_to_finish_minutes: number
} & Record<SubScore, number | null>

/** The work of a record as the catalog refers to it (§2.2). */
export type WorkRef = { id: number; name: string; trans_name: string | null; image: unknown }

export type ListedRating = Rating & { work_type: WorkKind; work_id: number; work: WorkRef }

/** Whose record of what: the account comes from the token and from nowhere else (§1). */
export type RatingKey = { accountId: number; kind: WorkKind; workId: number }

/** What a reader says: what PUT changes. */
export const FIELDS = [
  'status',
  'status_private',
  'rate',
  ...ALL_SUB_SCORES,
  'rate_content',
  'is_spoiler',
  'time_to_finish_minutes',
]
export const DEFAULTS = JSON.stringify({
  status: 'GOING',
  status_private: false,
  rate_content: '',
  is_spoiler: false,
  time_to_finish_minutes: 0,
})
export const of = (alias: string, columns: string[]) =>
  columns.map((column) => `${alias}.${column}`).join(', ')
export const RECORD = of('rating', [
  'id',
  'created_at',
  'updated_at',
  'like_count',
  'dislike_count',
  ...FIELDS,
])

/**
 * The merge of decision 0013 in one statement: what the body names is written over what is stored, or over the defaults.
 * The reader's own row is held against a ban at the same time; no row is held that another reader's request waits for.
 */
export const SAVE_RATING = `
  with reader as (
    select id, banned_at is not null as hidden
    from accounts
    where id = $1
      and set_config('mokuroku.client_id', $4, true) is not null
      -- An import of the same reader in another process may hold it for long: a few requests must not wait on every connection.
      and set_config('lock_timeout', '3s', true) is not null
    for share
  )
  insert into ratings as rating (account_id, work_id, kind, hidden, ${FIELDS.join(', ')})
  select reader.id, $2, $3, reader.hidden, ${of('said', FIELDS)}
  from reader
  cross join jsonb_populate_record(null::ratings, '${DEFAULTS}'::jsonb || $5::jsonb) said
  on conflict (account_id, work_id) do update
    set (${FIELDS.join(', ')}) = (select ${of('said', FIELDS)} from jsonb_populate_record(rating, $5::jsonb) said)
    where rating.kind = excluded.kind
  returning ${RECORD}`

/**
 * Creates the reader's record of a work, or changes the fields given and leaves the rest.
 *
 * @param clientId the app that writes, for the history
 * @param change null clears a score; a missing field keeps what is stored
 * @returns the whole record
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` when there is no such work
 */
export async function saveRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string,
  change: RatingChange,
): Promise<Rating> {
  try {
    const [saved] = await queryRows<Rating>(db, SAVE_RATING, [
      accountId,
      workId,
      kind,
      clientId,
      JSON.stringify(change),
    ])
    if (saved) return saved
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
  }
  throw await whyMissing(db, kind, workId, true)
}

const FIND = `
  select ${RECORD} from ratings rating
  where rating.account_id = $1 and rating.work_id = $2 and rating.kind = $3`

/** The reader's record of a work, or undefined when there is none. */
export async function findRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
): Promise<Rating | undefined> {
  const [rating] = await queryRows<Rating>(db, FIND, [accountId, workId, kind])
  return rating
}

/** The account before the record, as all who lock both: the history belongs to the account, which may just be leaving. */
const DELETE = `
  with reader as materialized (
    select id from accounts where id = $1 and set_config('mokuroku.client_id', $4, true) is not null for key share
  )
  delete from ratings rating
  using reader
  where rating.account_id = reader.id and rating.work_id = $2 and rating.kind = $3`

/** Deletes the reader's record of a work; that there is none is no fault. */
export async function deleteRating(
  db: Database,
  { accountId, kind, workId }: RatingKey,
  clientId: string,
): Promise<void> {
  await queryRows(db, DELETE, [accountId, workId, kind, clientId])
}

export type RatingsFilterValues = { status?: Status; work_type?: WorkKind; scored?: boolean }

const MATCHING = `
  from ratings rating
  where rating.account_id = $1
    and ($2::text is null or rating.status = $2)
    and ($3::text is null or rating.kind = $3)
    and ($4::boolean is null or (rating.rate is not null) = $4)`

export const LIST_RATINGS = `
  select rating.kind as work_type, rating.work_id, ${workRef('rating.work_id', 'rating.kind')} as work, ${RECORD}
  from (
    select rating.* ${MATCHING}
    order by rating.updated_at desc, rating.work_id desc
    offset $5 limit $6
  ) rating
  order by rating.updated_at desc, rating.work_id desc`

export const COUNT_RATINGS = `select count(*) as total ${MATCHING}`

/** One page of a reader's records, the last changed first, and how many there are in all. */
export async function listRatings(
  db: Database,
  accountId: number,
  { status, work_type, scored }: RatingsFilterValues,
  page: Page | undefined,
): Promise<{ ratings: ListedRating[]; total: number }> {
  const filter = [accountId, status ?? null, work_type ?? null, scored ?? null]
  const { offset, limit } = offsetAndLimit(page)
  const ratings = await queryRows<ListedRating>(db, LIST_RATINGS, [...filter, offset, limit])
  const [counted] = await queryRows<{ total: number }>(db, COUNT_RATINGS, filter)
  return { ratings, total: counted?.total ?? 0 }
}
