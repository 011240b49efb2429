import { isoTime, ratedMediaText, workReference } from '../../catalog/sql-fragments.ts'
import { WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { isScore, ratingFieldsOf, SUB_SCORES, type RatingField } from '../fields.ts'

/**
 * The list of all a reader has, written by the database as it goes over the wire: of a hundred records the service would
 * read and write forty kilobytes for nothing. JSON is put together as text, see `sql-fragments.ts`.
 */

const jsonText = (value: string) => `coalesce(to_json(${value})::text, 'null')`
const jsonTime = (column: string) => `'"' || ${isoTime(column)} || '"'`
const jsonNumber = (value: string) => `coalesce(${value}::text, 'null')`
/** 7, as 7.5 is 7.5. */
const score = (field: RatingField) => `trim_scale(rating.${field})`

function fieldValue(field: RatingField): string {
  if (isScore(field)) return jsonNumber(score(field))
  if (field === 'rate_content') return jsonText(`nullif(rating.rate_content, '')`)
  if (field === 'status') return jsonText('rating.status')
  return `rating.${field}::text`
}

const dimensions = (kind: WorkKind) =>
  SUB_SCORES[kind].length === 0
    ? `'[]'`
    : `'[' || concat_ws(',', ${SUB_SCORES[kind]
        .map((name) => `'{"key":"${name.replace('rate_', '')}","score":' || ${score(name)} || '}'`)
        .join(', ')}) || ']'`

/** Members of an item, each with the SQL of its JSON; where `id` is the work's (decision 0013). */
const membersOf = (kind: WorkKind): [name: string, json: string][] => [
  ['work_type', `'"${workTypeOf(kind)}"'`],
  ['work_id', 'rating.work_id'],
  ['work', `coalesce(work.reference::text, 'null')`],
  ['id', 'rating.work_id'],
  ['created_at', jsonTime('rating.created_at')],
  ['updated_at', jsonTime('rating.updated_at')],
  ['like_count', 'rating.like_count'],
  ['dislike_count', 'rating.dislike_count'],
  ...ratingFieldsOf(kind).map((field): [string, string] => [field, fieldValue(field)]),
  ['rate_id', 'rating.id'],
  ['title', jsonText('coalesce(work.trans_name, work.name)')],
  ['cover', ratedMediaText('work.image')],
  ['dimensions', dimensions(kind)],
  ['last_activity_at', jsonTime('rating.updated_at')],
]

const itemOf = (kind: WorkKind) =>
  membersOf(kind)
    .map(([name, json], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${json}`)
    .join(' || ') + ` || '}'`

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
      case rating.kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${itemOf(kind)}`).join('\n')} end,
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
