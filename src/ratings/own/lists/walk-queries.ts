import { kindOfWorkType } from '../../../catalog/work-types.ts'
import { queryRow } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import type { RatingsFilter } from '../schemas.ts'

/**
 * SQL for the ids of the works that match, most recently changed first, then by work id, highest first. The subquery
 * reads them from an index in this order, while an aggregate would sort them all.
 */
const worksWhere = (condition: string) => `array(
  select rating.work_id
  from ratings rating
  where rating.account_id = $1 and ${condition}
  order by rating.updated_at desc, rating.work_id desc)`

const FILTERED = worksWhere(`
    ($2::text is null or rating.status = $2)
    and ($3::text is null or rating.kind = $3)
    and ($4::boolean is null or (rating.rate is not null) = $4)`)

/** Without a filter, an index-only scan suffices. */
const ALL = worksWhere('$2::text is null and $3::text is null and $4::boolean is null')

/** A page of a user's ratings in their stored order. `id` is null if the page contains all of the ratings. */
type Walk = { id: number | null; total: number; work_ids: number[] }

/** Maximum number of walks stored per app and user. */
const MAX_WALKS = 10

/**
 * Minimum time between two updates of the latest walk. Without it, simultaneous requests for a first page
 * would wait for each other's commits.
 */
export const MIN_TOUCH_INTERVAL = '10 seconds'

/**
 * Starts a walk, or continues an existing walk with the same order of works. Parameters: account; status, kind and
 * whether the rating has a score, each null for any; app; filter; offset; limit.
 */
const startOf = (works: string) => `
  with listed as (select ${works} as work_ids),
  known as (
    select
      walk.id,
      walk.started_at < now() - interval '${MIN_TOUCH_INTERVAL}' or exists (
        select from rating_walks later
        where later.account_id = $1
          and later.client_id = $5::text
          and later.filter = $6::text
          and later.started_at > walk.started_at
      ) as is_due
    from rating_walks walk
    cross join listed
    where walk.account_id = $1
      and walk.client_id = $5::text
      and walk.filter = $6::text
      and walk.work_ids = listed.work_ids
    order by walk.started_at desc
    limit 1
  ),
  continued as (
    update rating_walks walk set started_at = now()
    from known
    where walk.account_id = $1 and walk.id = known.id and known.is_due
  ),
  created as (
    insert into rating_walks (account_id, client_id, filter, work_ids)
    select $1::bigint, $5::text, $6::text, listed.work_ids
    from listed
    where cardinality(listed.work_ids) > $8::bigint and not exists (select from known)
    returning id
  ),
  deleted as (
    delete from rating_walks walk
    where walk.account_id = $1
      and walk.id in (
        select old.id
        from rating_walks old
        where old.account_id = $1
          and old.client_id = $5::text
          and not exists (select from known where known.id = old.id)
        order by old.started_at desc
        offset ${MAX_WALKS - 1}
      )
  )
  select
    coalesce((select id from known), (select id from created)) as id,
    cardinality(listed.work_ids) as total,
    ${slice('listed.work_ids', '$7', '$8')} as work_ids
  from listed`

export const START_WALK = {
  ofAll: statement('ratings.start_walk').returning<Walk>(startOf(ALL)),
  ofFiltered: statement('ratings.start_filtered_walk').returning<Walk>(startOf(FILTERED)),
}

function slice(works: string, offset: string, limit: string) {
  // Array subscripts are 32-bit integers, which an offset may exceed.
  return `${works}[least(${offset}::bigint, 2000000000)::integer + 1 : least(${offset}::bigint, 2000000000)::integer + ${limit}::integer]`
}

const walkWhere = (condition: string) => `
  select walk.id, cardinality(walk.work_ids) as total, ${slice('walk.work_ids', '$4', '$5')} as work_ids
  from rating_walks walk
  where walk.account_id = $1 and walk.client_id = $2 and walk.filter = $3 and ${condition}
  order by walk.started_at desc
  limit 1`

/** Parameters: account, app, filter, offset, limit. */
export const FIND_LATEST_WALK = statement('ratings.find_latest_walk').returning<Walk>(
  walkWhere(`walk.started_at > now() - interval '30 minutes ${MIN_TOUCH_INTERVAL}'`),
)

const FIND_WALK = statement('ratings.find_walk').returning<Walk>(walkWhere('walk.id = $6'))

/** Identifies a walk: the account, the app that reads the pages, and the filter. */
export type WalkKey = { accountId: number; clientId: string; filter: RatingsFilter }

type Window = { offset: number; limit: number }

const filterOf = ({ status, work_type, scored }: RatingsFilter) =>
  [status ?? null, kindOfWorkType(work_type) ?? null, scored ?? null] as const

/** Stores the current order of the ratings, most recently changed first, for this page and later ones. */
export async function startWalk(
  db: Database,
  key: WalkKey,
  { offset, limit }: Window,
): Promise<Walk> {
  const filter = filterOf(key.filter)
  const isAll = filter.every((value) => value === null)
  const walk = await queryRow(db, isAll ? START_WALK.ofAll : START_WALK.ofFiltered, [
    key.accountId,
    ...filter,
    key.clientId,
    JSON.stringify(filter),
    offset,
    limit,
  ])
  return walk ?? { id: null, total: 0, work_ids: [] }
}

/**
 * Finds an existing walk.
 *
 * @param id id of the walk; null for the app's latest walk, if it began recently
 */
export function findWalk(
  db: Database,
  key: WalkKey,
  { offset, limit }: Window,
  id: number | null,
): Promise<Walk | undefined> {
  const parameters = [
    key.accountId,
    key.clientId,
    JSON.stringify(filterOf(key.filter)),
    offset,
    limit,
  ] as const
  return id === null
    ? queryRow(db, FIND_LATEST_WALK, parameters)
    : queryRow(db, FIND_WALK, [...parameters, id])
}
