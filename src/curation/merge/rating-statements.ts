import { RATING_COUNTED } from '../../accounts/user-data-queries.ts'
import { statement } from '../../db/statement.ts'

/** Statements for ratings of one account that moving and restoring them share. */

/** A locked rating. JSON is text, so that it keeps all digits of numbers. */
export type MergedRating = {
  work_id: number
  id: number
  hidden: boolean
  record: string
  /** Values by which the rating counts in totals. */
  counted: string
  /** How much it contains. A review outranks a score, and a score outranks a status. */
  weight: number
  updated_at: Date
}

export const LOCK_RATINGS = statement('merging.lock_ratings').returning<MergedRating>(`
  select
    rating.work_id, rating.id, rating.hidden, to_jsonb(rating)::text as record,
    ${RATING_COUNTED}::text as counted,
    case
      when rating.rate_content <> '' then 3
      when coalesce(
        rating.rate, rating.rate_character, rating.rate_illustration, rating.rate_pacing, rating.rate_plot,
        rating.rate_worldview, rating.rate_writing, rating.rate_scenario, rating.rate_direction, rating.rate_music,
        rating.rate_visual, rating.rate_system
      ) is not null then 2
      else 1
    end as weight,
    rating.updated_at
  from ratings rating
  where rating.account_id = $1 and rating.work_id = any($2::bigint[])
  order by rating.id
  for update`)

/** Moves a rating and its votes in one statement, because votes refer to the rating's account and work. */
export const MOVE_RATING = statement('merging.move_rating').returning<{ record: string }>(`
  with votes as (
    update review_votes vote set work_id = $3 where vote.account_id = $1 and vote.work_id = $2
  )
  update ratings rating set work_id = $3
  where rating.account_id = $1 and rating.work_id = $2
  returning to_jsonb(rating)::text as record`)

/** Adds how a rating counts in the totals of a work before and after a change. */
export const ADD_DELTA = statement('merging.add_delta').sql(`
  insert into rating_deltas (account_id, work_id, kind, was, becomes)
  select $1::bigint, $2::bigint, $3::text, $4::jsonb, $5::jsonb
  where $4::jsonb <> $5::jsonb`)

export const DELETE_CHANGE = statement('merging.delete_change').sql(
  'delete from rating_changes where account_id = $1 and id = $2',
)

export const ADD_CHANGE = statement('merging.add_change').returning<{ id: number }>(`
  insert into rating_changes (account_id, work_id, kind, action, fields)
  values ($1, $2, $3, 'CHANGED', $4::jsonb)
  returning id`)
