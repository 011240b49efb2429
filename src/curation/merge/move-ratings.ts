import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { WorkMerge } from './work-merge.ts'
import { ADD_CHANGE, ADD_DELTA, LOCK_RATINGS, MOVE_RATING } from './rating-statements.ts'

const TAKE_DELTAS = statement('merging.take_deltas').returning<{
  id: number
  was: string
  becomes: string
}>(`
  delete from rating_deltas where account_id = $1 and work_id = $2
  returning id, was::text as was, becomes::text as becomes`)

/** Notes for similar works which of the changes of a rating change whether the user likes the work. */
const NOTE_LIKES = statement('merging.note_likes').sql(`
  insert into like_notes (account_id, work_id, liked)
  select $1::bigint, $2::bigint, is_liked(change.becomes)
  from unnest($3::text[]::jsonb[], $4::text[]::jsonb[]) with ordinality change (was, becomes, place)
  where is_liked(change.was) <> is_liked(change.becomes)
  order by change.place`)

const MOVE_HISTORY = statement('merging.move_history').returning<{ id: number }>(`
  update rating_changes set work_id = $3 where account_id = $1 and work_id = $2
  returning id`)

const KEEP_VOTES = statement('merging.keep_votes').sql(`
  insert into merged_votes (account_id, merge_id, voter_id, rating_id, liked, created_at, updated_at)
  select vote.account_id, $2, vote.voter_id, vote.rating_id, vote.liked, vote.created_at, vote.updated_at
  from review_votes vote
  where vote.account_id = $1 and vote.work_id = $3`)

const DELETE_RATING = statement('merging.delete_rating').sql(
  'delete from ratings where account_id = $1 and work_id = $2',
)

/** Computes the changed fields between two ratings, as stored in the history. */
const COMPARE = statement('merging.compare_ratings').returning<{ fields: string }>(`
  select jsonb_object_agg(field.key, jsonb_build_object('from', field.value, 'to', after_field.value))::text as fields
  from jsonb_each(rating_fields(jsonb_populate_record(null::ratings, $1::jsonb))) field
  join jsonb_each(rating_fields(jsonb_populate_record(null::ratings, $2::jsonb))) after_field using (key)
  where field.value is distinct from after_field.value
  having count(*) > 0`)

const KEEP = statement('merging.keep_rating').sql(`
  insert into merged_ratings (account_id, merge_id, from_rating, into_rating, left_rating, history, note)
  values ($1, $2, $3::jsonb, $4::jsonb, $5::jsonb, $6::bigint[], $7)`)

/**
 * Moves a user's rating of a work, with its votes and history, to the work it is merged into.
 *
 * If the user has rated both works, the better rating stays: the one with a review, or else with a score, or else the
 * newer one. The other rating is added to the history.
 */
export async function moveRating(
  trx: Database,
  accountId: number,
  { id, kind, from, into }: WorkMerge,
): Promise<void> {
  const ratings = await queryRows(trx, LOCK_RATINGS, [accountId, [from, into]])
  const rating = ratings.find(({ work_id: workId }) => workId === from)
  const other = rating && ratings.find(({ work_id: workId }) => workId === into)
  await removeDeltas(trx, accountId, from, rating?.hidden === false ? rating.counted : undefined)

  const history = (await queryRows(trx, MOVE_HISTORY, [accountId, from, into])).map((row) => row.id)
  if (!rating && history.length === 0) return
  const isBetter =
    rating !== undefined &&
    (other === undefined ||
      rating.weight > other.weight ||
      (rating.weight === other.weight && rating.updated_at > other.updated_at))
  let note: number | undefined
  if (rating && other) {
    await queryRows(trx, KEEP_VOTES, [accountId, id, isBetter ? into : from])
    await queryRows(trx, DELETE_RATING, [accountId, isBetter ? into : from])
    const [lost, kept] = isBetter ? [other, rating] : [rating, other]
    const changed = await queryRow(trx, COMPARE, [lost.record, kept.record])
    if (changed)
      note = (await queryRow(trx, ADD_CHANGE, [accountId, into, kind, changed.fields]))?.id
  }
  const moved = isBetter ? await queryRow(trx, MOVE_RATING, [accountId, from, into]) : undefined
  const left = moved?.record ?? other?.record
  await queryRows(trx, KEEP, [
    accountId,
    id,
    rating?.record ?? null,
    other?.record ?? null,
    left ?? null,
    history.toSorted((one, next) => one - next),
    note ?? null,
  ])
  const countedIn = (row: typeof rating) => (row && !row.hidden ? row.counted : '{}')
  const counted = [countedIn(other), countedIn(isBetter ? rating : other)] as const
  await queryRows(trx, ADD_DELTA, [accountId, into, kind, ...counted])
}

/**
 * Deletes the pending deltas of a work that is removed from the totals, and notes that the user no longer likes it.
 *
 * @param counted values by which the rating counts, unless it is hidden
 */
async function removeDeltas(
  trx: Database,
  accountId: number,
  workId: number,
  counted: string | undefined,
): Promise<void> {
  const deltas = await queryRows(trx, TAKE_DELTAS, [accountId, workId])
  const changes = deltas
    .toSorted((one, other) => one.id - other.id)
    .concat(counted === undefined ? [] : { id: Infinity, was: counted, becomes: '{}' })
  if (changes.length === 0) return
  await queryRows(trx, NOTE_LIKES, [
    accountId,
    workId,
    changes.map(({ was }) => was),
    changes.map(({ becomes }) => becomes),
  ])
}
