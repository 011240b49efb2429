import { ratedMediaText, workReference } from '../../catalog/sql-fragments.ts'
import { WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { SUB_SCORES } from '../fields.ts'
import {
  jsonObjectText,
  jsonTextOf,
  jsonTime,
  recordMembers,
  plainScore,
  type JsonMember,
} from './sql-fragments.ts'

/**
 * The list of all a reader has, written by the database as it goes over the wire: of a hundred records the service would
 * read and write forty kilobytes for nothing. JSON is put together as text, see `sql-fragments.ts`.
 */

const dimensions = (kind: WorkKind) =>
  SUB_SCORES[kind].length === 0
    ? `'[]'`
    : `'[' || concat_ws(',', ${SUB_SCORES[kind]
        .map((name) => `'{"key":"${name.replace('rate_', '')}","score":' || ${plainScore(name)} || '}'`)
        .join(', ')}) || ']'`

/** Members of an item, each with the SQL of its JSON; where `id` is the work's (decision 0013). */
const membersOf = (kind: WorkKind): JsonMember[] => {
  const record = recordMembers(kind).map(([name, json]): JsonMember =>
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

/**
 * A window of a reader's records, the last changed first, and how many there are in all: a row
 * `{items, item_count, total}`, of which `items` is a JSON array.
 *
 * Parameters: account, status, kind and whether there is a score, null where it does not matter; offset and limit.
 */
export const LIST_RATINGS = `
  select
    '[' || coalesce(string_agg(
      case rating.kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${jsonObjectText(membersOf(kind))}`).join('\n')} end,
      ',' order by rating.updated_at desc, rating.work_id desc
    ), '') || ']' as items,
    count(*) as item_count,
    (select count(*) ${MATCHING}) as total
  from (
    select rating.* ${MATCHING}
    order by rating.updated_at desc, rating.work_id desc
    offset $5 limit $6
  ) rating
  left join lateral (${workReference('rating.work_id', 'rating.kind')}) work on true`
