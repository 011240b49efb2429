import { queryRow } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { ratedMediaTextSql, workRefRowsSql } from '../../../catalog/sql-fragments.ts'
import { WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { workTypeOf } from '../../../catalog/work-types.ts'
import { SUB_SCORES } from '../../fields.ts'
import {
  jsonObjectSql,
  jsonTextOf,
  jsonTime,
  ratingMembers,
  scoreText,
  type JsonMember,
} from '../sql-fragments.ts'

const dimensions = (kind: WorkKind) =>
  SUB_SCORES[kind].length === 0
    ? `'[]'`
    : `'[' || concat_ws(',', ${SUB_SCORES[kind]
        .map(
          (name) => `'{"key":"${name.replace('rate_', '')}","score":' || ${scoreText(name)} || '}'`,
        )
        .join(', ')}) || ']'`

/** Members of a list item. `id` is the id of the work (decision 0013). */
const membersOf = (kind: WorkKind): JsonMember[] => {
  const rating = ratingMembers(kind).map(([name, json]): JsonMember =>
    name === 'rate_content' ? [name, jsonTextOf(`nullif(rating.rate_content, '')`)] : [name, json],
  )
  return [
    ['work_type', `'"${workTypeOf(kind)}"'`],
    ['work_id', 'rating.work_id'],
    ['work', `coalesce(work.reference::text, 'null')`],
    ['id', 'rating.work_id'],
    ...rating,
    ['rate_id', 'rating.id'],
    ['title', jsonTextOf('coalesce(work.trans_name, work.name)')],
    ['cover', ratedMediaTextSql('work.image')],
    ['dimensions', dimensions(kind)],
    ['last_activity_at', jsonTime('rating.updated_at')],
  ]
}

/**
 * Returns the ratings of the user `$1` for the works `$2`, in that order, as a JSON array. The database writes the JSON, because
 * the service would otherwise parse and serialize about 40 kB for a hundred ratings.
 */
export const LIST_RATINGS_OF = statement('ratings.list_ratings_of').returning<{
  items: string
  item_count: number
}>(`
  select
    '[' || coalesce(string_agg(
      case rating.kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${jsonObjectSql(membersOf(kind))}`).join('\n')} end,
      ',' order by rating.number
    ), '') || ']' as items,
    count(*) as item_count
  from (
    select rating.*, place.number
    from unnest($2::bigint[]) with ordinality place (work_id, number)
    join ratings rating on rating.account_id = $1 and rating.work_id = place.work_id
  ) rating
  left join lateral (${workRefRowsSql('rating.work_id', 'rating.kind')}) work on true`)

/** Returns a user's current ratings of these works as a JSON array. Works without a rating are omitted. */
export async function listRatingsOf(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<{ items: string; item_count: number }> {
  const list = await queryRow(db, LIST_RATINGS_OF, [accountId, workIds])
  return list ?? { items: '[]', item_count: 0 }
}
