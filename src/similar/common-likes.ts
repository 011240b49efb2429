import type { Database } from '../db/database.ts'
import { queryRow, queryRows } from '../db/query.ts'
import { statement } from '../db/statement.ts'

/**
 * SQL condition on `rating`: its user likes the work, and the rating is public (decision 0018). It must match the
 * condition of the partial indexes on likes, and the function `is_liked`, which makes the same decision for a delta.
 */
export const IS_LIKED = 'rating.rate >= 7 and not rating.status_private and not rating.hidden'

/** Minimum number of users who like both works, so that a result does not reveal who likes what. */
const MIN_COMMON_USERS = 3

/** Maximum number of users sampled per work, newest accounts first, and of works sampled per user, best rated first. */
const MAX_USERS = 200
const MAX_LIKES = 60

/** SQL for the works that sampled users of each requested work also like, with the number of users who like both. */
export const COMMON_LIKES = `
  select requested.work_id, sampled.readers, other.work_id as hit, other.common, own.likes
  from requested
  join work_likes own on own.work_id = requested.work_id and own.likes >= ${MIN_COMMON_USERS}
  cross join lateral (
    select array_agg(account_id) as accounts, count(*) as readers
    from (
      select account_id
      from ratings rating
      where work_id = requested.work_id and ${IS_LIKED}
      order by account_id desc
      limit ${MAX_USERS}
    ) newest
  ) sampled
  cross join lateral (
    select liked.work_id, count(*) as common
    from unnest(sampled.accounts) reader (account_id)
    cross join lateral (
      select work_id
      from ratings rating
      where account_id = reader.account_id and ${IS_LIKED}
      order by rate desc, work_id
      limit ${MAX_LIKES}
    ) liked
    where liked.work_id <> requested.work_id
    group by liked.work_id
    having count(*) >= ${MIN_COMMON_USERS}
  ) other`

/** Lists the works in `$1` that enough users like. */
const LIST_LIKED = statement('similar.list_liked_works').returning<{ work_id: number }>(`
  select work_id from work_likes where work_id = any($1::bigint[]) and likes >= ${MIN_COMMON_USERS}`)

/**
 * Finds the same as `COMMON_LIKES` for the work `$1`, within the limits of distributed user data: no other tables, and
 * no limit per user. On one machine, the computation would take three to five times as long (decision 0039).
 */
const FIND_COMMON_LIKES = statement('similar.find_common_likes').returning<{
  readers: number
  hits: number[]
  common: number[]
}>(`
  with reader as materialized (
    select account_id
    from ratings rating
    where work_id = $1 and ${IS_LIKED}
    order by account_id desc
    limit ${MAX_USERS}
  ),
  liked as (
    select work_id, row_number() over (partition by account_id order by rate desc, work_id) as place
    from ratings rating
    where account_id in (select account_id from reader) and ${IS_LIKED}
  )
  select
    (select count(*) from reader) as readers,
    coalesce(array_agg(work_id), '{}') as hits,
    coalesce(array_agg(common), '{}') as common
  from (
    select work_id, count(*) as common
    from liked
    where place <= ${MAX_LIKES} and work_id <> $1
    group by work_id
    having count(*) >= ${MIN_COMMON_USERS}
  ) counted`)

/**
 * Finds what users of each work also like.
 *
 * @returns columns: works, numbers of users, other works, and numbers of users who like both
 */
export async function findCommonLikes(trx: Database, works: number[]) {
  const [workIds, readers, hits, common] = [[], [], [], []] as [
    number[],
    number[],
    number[],
    number[],
  ]
  for (const { work_id: workId } of await queryRows(trx, LIST_LIKED, [works])) {
    const found = await queryRow(trx, FIND_COMMON_LIKES, [workId])
    for (const [index, hit] of found?.hits.entries() ?? []) {
      workIds.push(workId)
      readers.push(found?.readers ?? 0)
      hits.push(hit)
      common.push(found?.common[index] ?? 0)
    }
  }
  return [workIds, readers, hits, common] as const
}
