import { statement } from '../../../db/statement.ts'
import { ratedMediaText, workReference } from '../../../catalog/sql-fragments.ts'
import { WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { workTypeOf } from '../../../catalog/work-types.ts'
import { SUB_SCORES } from '../../fields.ts'
import {
  jsonObjectText,
  jsonTextOf,
  jsonTime,
  ratingMembers,
  scoreText,
  type JsonMember,
} from '../sql-fragments.ts'

/**
 * The list of all a reader has, written by the database as it goes over the wire: of a hundred records the service would
 * read and write forty kilobytes for nothing. JSON is put together as text, see `sql-fragments.ts`.
 */

const dimensions = (kind: WorkKind) =>
  SUB_SCORES[kind].length === 0
    ? `'[]'`
    : `'[' || concat_ws(',', ${SUB_SCORES[kind]
        .map(
          (name) => `'{"key":"${name.replace('rate_', '')}","score":' || ${scoreText(name)} || '}'`,
        )
        .join(', ')}) || ']'`

/** Members of an item, each with the SQL of its JSON; where `id` is the work's (decision 0013). */
const membersOf = (kind: WorkKind): JsonMember[] => {
  const record = ratingMembers(kind).map(([name, json]): JsonMember =>
    name === 'rate_content' ? [name, jsonTextOf(`nullif(rating.rate_content, '')`)] : [name, json],
  )
  return [
    ['work_type', `'"${workTypeOf(kind)}"'`],
    ['work_id', 'rating.work_id'],
    ['work', `coalesce(work.reference::text, 'null')`],
    ['id', 'rating.work_id'],
    ...record,
    ['rate_id', 'rating.id'],
    ['title', jsonTextOf('coalesce(work.trans_name, work.name)')],
    ['cover', ratedMediaText('work.image')],
    ['dimensions', dimensions(kind)],
    ['last_activity_at', jsonTime('rating.updated_at')],
  ]
}

const MATCHING = `
  from ratings rating
  where rating.account_id = $1
    and ($2::text is null or rating.status = $2)
    and ($3::text is null or rating.kind = $3)
    and ($4::boolean is null or (rating.rate is not null) = $4)`

/** Records changed at the same moment are ordered by work id, highest first. */
const ORDER = 'rating.updated_at desc, rating.work_id desc'

/** Window of a walk's works. `id` is null if the window contains all of them. */
export type Walk = { id: number | null; total: number; work_ids: number[] }

/**
 * SQL: the records of reader `$1` for the works `$2`, in that order, as a row `{items, item_count}` with a JSON array `items`.
 * Works without a record are left out.
 */
export const LIST_RATINGS_OF = statement('ratings.list_ratings_of').returning<{
  items: string
  item_count: number
}>(`
  select
    '[' || coalesce(string_agg(
      case rating.kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${jsonObjectText(membersOf(kind))}`).join('\n')} end,
      ',' order by rating.number
    ), '') || ']' as items,
    count(*) as item_count
  from (
    select rating.*, place.number
    from unnest($2::bigint[]) with ordinality place (work_id, number)
    join ratings rating on rating.account_id = $1 and rating.work_id = place.work_id
  ) rating
  left join lateral (${workReference('rating.work_id', 'rating.kind')}) work on true`)

/** Maximum number of walks stored for one app and reader. */
const MAX_WALKS = 10

/**
 * Begins a walk through a reader's records: a row `{id, total, work_ids}`, where `work_ids` covers the window.
 * `id` is null if all records fit into the window. While nothing changes, a walk is stored once.
 *
 * Parameters: account; status, kind and whether scored, each null for any; app; filter; offset; limit.
 */
export const START_WALK = statement('ratings.start_walk').returning<Walk>(`
  with listed as (
    select coalesce(array_agg(rating.work_id order by ${ORDER}), '{}') as work_ids ${MATCHING}
  ),
  known as (
    select walk.id
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
    update rating_walks walk set started_at = now() from known where walk.account_id = $1 and walk.id = known.id
  ),
  made as (
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
    coalesce((select id from known), (select id from made)) as id,
    cardinality(listed.work_ids) as total,
    ${slice('listed.work_ids', '$7', '$8')} as work_ids
  from listed`)

function slice(works: string, offset: string, limit: string) {
  // Array subscripts are 32-bit integers; an offset may exceed them.
  return `${works}[least(${offset}::bigint, 2000000000)::integer + 1 : least(${offset}::bigint, 2000000000)::integer + ${limit}::integer]`
}

const walk = (which: string) => `
  select walk.id, cardinality(walk.work_ids) as total, ${slice('walk.work_ids', '$4', '$5')} as work_ids
  from rating_walks walk
  where walk.account_id = $1 and walk.client_id = $2 and walk.filter = $3 and ${which}
  order by walk.started_at desc
  limit 1`

/** SQL: the latest walk, if it began recently. Parameters: account, app, filter, offset, limit. */
export const FIND_LATEST_WALK = statement('ratings.find_latest_walk').returning<Walk>(
  walk(`walk.started_at > now() - interval '30 minutes'`),
)

/** SQL: the walk with the id `$6`. */
export const FIND_WALK = statement('ratings.find_walk').returning<Walk>(walk('walk.id = $6'))
