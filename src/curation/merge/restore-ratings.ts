import { listHiddenReviews, RATING_COUNTED } from '../../accounts/user-data-queries.ts'
import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import { columnListOf } from './column-list.ts'
import type { WorkMerge } from './work-merge.ts'
import { ADD_DELTA, DELETE_CHANGE, LOCK_RATINGS, MOVE_RATING } from './rating-statements.ts'

const FIND = statement('merging.find_merged_rating').returning<{
  fromRating: string | null
  intoRating: string | null
  fromId: number | null
  intoId: number | null
  leftId: number | null
  leftAt: Date | null
  history: number[]
  note: number | null
  hidden: boolean
}>(`
  select
    kept.from_rating::text as "fromRating", kept.into_rating::text as "intoRating",
    (kept.from_rating ->> 'id')::bigint as "fromId", (kept.into_rating ->> 'id')::bigint as "intoId",
    (kept.left_rating ->> 'id')::bigint as "leftId", (kept.left_rating ->> 'updated_at')::timestamptz as "leftAt",
    kept.history, kept.note, reference.hidden
  from merged_ratings kept
  join account_refs reference on reference.id = kept.account_id
  where kept.account_id = $1 and kept.merge_id = $2`)

const MOVE_CHANGES = statement('merging.move_changes').sql(
  'update rating_changes set work_id = $3 where account_id = $1 and id = any($2::bigint[])',
)

const RATING = columnListOf<'ratings'>({
  account_id: true,
  id: true,
  work_id: true,
  kind: true,
  status: true,
  status_private: true,
  rate: true,
  rate_character: true,
  rate_illustration: true,
  rate_pacing: true,
  rate_plot: true,
  rate_worldview: true,
  rate_writing: true,
  rate_scenario: true,
  rate_direction: true,
  rate_music: true,
  rate_visual: true,
  rate_system: true,
  rate_content: true,
  is_spoiler: true,
  time_to_finish_minutes: true,
  like_count: true,
  dislike_count: true,
  hidden: true,
  previous: true,
  created_at: true,
  updated_at: true,
})

/** `$2` is the id of the rating, or null for a new one. */
const INSERT = statement('merging.insert_rating').returning<{ id: number; counted: string }>(`
  insert into ratings as rating (${RATING}) overriding system value
  select ${RATING}
  from jsonb_populate_record(
    null::ratings,
    $1::jsonb || jsonb_build_object(
      'id', coalesce($2::bigint, nextval(pg_get_serial_sequence('ratings', 'id'))),
      'work_id', $3::bigint,
      'hidden', $4::boolean
    )
  )
  returning rating.id, ${RATING_COUNTED}::text as counted`)

const INSERT_VOTES = statement('merging.insert_votes').sql(`
  insert into review_votes (account_id, work_id, rating_id, voter_id, liked, hidden, created_at, updated_at)
  select vote.account_id, $3, vote.rating_id, vote.voter_id, vote.liked, voter.hidden, vote.created_at, vote.updated_at
  from merged_votes vote
  join account_refs voter on voter.id = vote.voter_id
  where vote.account_id = $1 and vote.merge_id = $2 and vote.rating_id = $4`)

const DELETE_VOTE_DELTAS = statement('merging.delete_vote_deltas').sql(
  'delete from vote_deltas where account_id = $1 and rating_id = $2',
)

const COUNT_VOTES = statement('merging.count_votes').sql(`
  update ratings rating
  set like_count = counted.likes, dislike_count = counted.dislikes
  from (
    select count(*) filter (where vote.liked) as likes, count(*) filter (where not vote.liked) as dislikes
    from review_votes vote
    where vote.account_id = $1 and vote.work_id = $2 and not vote.hidden
  ) counted
  where rating.account_id = $1 and rating.work_id = $2`)

const FORGET_RATING = statement('merging.forget_rating').sql(
  'delete from merged_ratings where account_id = $1 and merge_id = $2',
)
const FORGET_VOTES = statement('merging.forget_votes').sql(
  'delete from merged_votes where account_id = $1 and merge_id = $2',
)

/**
 * Moves a user's rating back to a work when its merge is undone. A rating that has changed since stays with the other
 * work, and its old version is restored as well. Deleted ratings stay deleted.
 */
export async function restoreRating(
  trx: Database,
  accountId: number,
  merge: WorkMerge,
): Promise<void> {
  const { id, kind, from, into } = merge
  const kept = await queryRow(trx, FIND, [accountId, id])
  const [current] = await queryRows(trx, LOCK_RATINGS, [accountId, [into]])
  if (!kept) return
  await queryRows(trx, MOVE_CHANGES, [accountId, kept.history, from])
  const { fromRating, fromId } = kept
  if (fromRating !== null && fromId !== null && kept.leftId !== null && current) {
    const isUntouched =
      current.id === kept.leftId && current.updated_at.getTime() === kept.leftAt?.getTime()
    const reviews = await listHiddenReviews(trx, accountId)
    const hidden = kept.hidden || reviews.includes(fromId) || reviews.includes(current.id)
    if (isUntouched) await queryRows(trx, DELETE_CHANGE, [accountId, kept.note])
    let restored: string | undefined = current.counted
    let remaining: string | undefined
    const insert = (record: string, workId: number, ratingId: number | null) =>
      insertRating(trx, accountId, id, { record, workId, ratingId, hidden })
    const isMoved = isUntouched && kept.leftId === fromId
    if (isMoved) {
      await queryRows(trx, MOVE_RATING, [accountId, into, from])
      if (kept.intoRating !== null) remaining = await insert(kept.intoRating, into, kept.intoId)
    } else restored = await insert(fromRating, from, current.id === fromId ? null : fromId)
    if (!hidden) {
      await queryRows(trx, ADD_DELTA, [accountId, from, kind, '{}', restored ?? '{}'])
      if (isMoved)
        await queryRows(trx, ADD_DELTA, [accountId, into, kind, current.counted, remaining ?? '{}'])
    }
  }
  await queryRows(trx, FORGET_VOTES, [accountId, id])
  await queryRows(trx, FORGET_RATING, [accountId, id])
}

/** @returns values by which the rating counts in totals */
async function insertRating(
  trx: Database,
  accountId: number,
  mergeId: number,
  rating: { record: string; workId: number; ratingId: number | null; hidden: boolean },
): Promise<string | undefined> {
  const { record, workId, ratingId, hidden } = rating
  const inserted = await queryRow(trx, INSERT, [record, ratingId, workId, hidden])
  if (!inserted) return undefined
  await queryRows(trx, INSERT_VOTES, [accountId, mergeId, workId, inserted.id])
  await queryRows(trx, DELETE_VOTE_DELTAS, [accountId, inserted.id])
  await queryRows(trx, COUNT_VOTES, [accountId, workId])
  return inserted.counted
}
