import { queryRow, queryRows } from '../../../db/query.ts'
import { statement } from '../../../db/statement.ts'
import type { Database } from '../../../db/database.ts'
import { ratedMediaTextSql, workRefRowsSql } from '../../../catalog/sql-fragments.ts'
import { byWorkKind, WORK_KINDS, type WorkKind } from '../../../catalog/kinds.ts'
import { workTypeOf } from '../../../catalog/work-types.ts'
import { SUB_SCORES } from '../../fields.ts'
import { BLANK_PROGRESS } from '../../progress/fields.ts'
import { toProgressResponse } from '../../progress/progress-response.ts'
import { findProgressOf, findVolumeTotals } from '../../progress/queries.ts'
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

const WORK: JsonMember[] = [['work', `coalesce(work.reference::text, 'null')`]]

const TITLED: JsonMember[] = [
  ['title', jsonTextOf('coalesce(work.trans_name, work.name)')],
  ['cover', ratedMediaTextSql('work.image')],
]

type Parts = Record<'head' | 'work' | 'middle' | 'titled' | 'tail', JsonMember[]>

/**
 * Members of a list item in order, in parts that alternate between user data and catalog. `id` is the id of the work
 * (decision 0013).
 */
const partsOf = (kind: WorkKind): Parts => {
  const rating = ratingMembers(kind).map(([name, json]): JsonMember =>
    name === 'rate_content' ? [name, jsonTextOf(`nullif(rating.rate_content, '')`)] : [name, json],
  )
  return {
    head: [
      ['work_type', `'"${workTypeOf(kind)}"'`],
      ['work_id', 'rating.work_id'],
    ],
    work: WORK,
    middle: [['id', 'rating.work_id'], ...rating, ['rate_id', 'rating.id']],
    titled: TITLED,
    tail: [
      ['dimensions', dimensions(kind)],
      ['last_activity_at', jsonTime('rating.updated_at')],
    ],
  }
}
const PARTS = byWorkKind(partsOf)

/** SQL for a JSON object as text, with the members that `membersOf` picks from the parts of an item. */
const ofRating = (membersOf: (parts: Parts) => JsonMember[]) =>
  `case rating.kind ${WORK_KINDS.map((kind) => `when '${kind}' then ${jsonObjectSql(membersOf(PARTS[kind]))}`).join('\n')} end`

/** The ratings of the user `$1` for the works `$2`, each with its place. */
const PLACED_RATINGS = `
  from unnest($2::bigint[]) with ordinality place (work_id, number)
  join ratings rating on rating.account_id = $1 and rating.work_id = place.work_id`

/**
 * Returns the ratings of the user `$1` for the works `$2`, in that order, as a JSON array. The database writes the JSON,
 * because the service would otherwise parse and serialize about 40 kB for a hundred ratings.
 */
export const LIST_ITEMS = statement('ratings.list_items').returning<{
  items: string
  item_count: number
}>(`
  select
    '[' || coalesce(string_agg(${ofRating((parts) => Object.values(parts).flat())}, ',' order by place.number), '') || ']' as items,
    count(*) as item_count
  ${PLACED_RATINGS}
  left join lateral (${workRefRowsSql('rating.work_id', 'rating.kind')}) work on true`)

/** Returns the parts of the same items that are user data, as three JSON objects per rating. */
const LIST_RATINGS_OF = statement('ratings.list_ratings_of').returning<{
  work_id: number
  kind: WorkKind
  head: string
  middle: string
  tail: string
}>(`
  select
    rating.work_id, rating.kind,
    ${ofRating(({ head }) => head)} as head,
    ${ofRating(({ middle }) => middle)} as middle,
    ${ofRating(({ tail }) => tail)} as tail
  ${PLACED_RATINGS}
  order by place.number`)

/** Returns the catalog members of the works `$1` with kinds `$2`, as two JSON objects per work. */
const LIST_SHOWN_WORKS = statement('ratings.list_shown_works').returning<{
  id: number
  work: string
  titled: string
}>(`
  select
    wanted.id,
    ${jsonObjectSql(WORK)} as work,
    ${jsonObjectSql(TITLED)} as titled
  from unnest($1::bigint[], $2::text[]) wanted (id, kind)
  left join lateral (${workRefRowsSql('wanted.id', 'wanted.kind')}) work on true`)

type ItemsOptions = {
  /** Whether to add the user's progress to each rating. */
  progress: boolean
  /** Whether the progress contains private notes. */
  notes: boolean
  /** Whether user data is on other machines than the catalog. */
  isDistributed: boolean
}

/** Returns a user's current ratings of these works as a JSON array. Works without a rating are omitted. */
export async function listItems(
  db: Database,
  accountId: number,
  workIds: number[],
  options: ItemsOptions,
): Promise<{ items: string; item_count: number }> {
  const isJoined = !options.progress && !options.isDistributed
  const page = isJoined ? await queryRow(db, LIST_ITEMS, [accountId, workIds]) : undefined
  return page ?? joinItems(db, accountId, workIds, options)
}

/** Returns the same items from separate statements for user data and catalog, with progress if requested. */
async function joinItems(
  db: Database,
  accountId: number,
  workIds: number[],
  { progress, notes }: ItemsOptions,
) {
  const ratings = await queryRows(db, LIST_RATINGS_OF, [accountId, workIds])
  const works = await queryRows(db, LIST_SHOWN_WORKS, [
    ratings.map(({ work_id: id }) => id),
    ratings.map(({ kind }) => kind),
  ])
  const shown = new Map(works.map((work) => [work.id, work]))
  const progressOf = progress ? await listProgress(db, accountId, ratings, notes) : undefined
  const items = ratings.map(({ work_id: id, head, middle, tail }) => {
    const { work = '{}', titled = '{}' } = shown.get(id) ?? {}
    const added = progressOf ? JSON.stringify({ progress: progressOf.get(id) }) : '{}'
    return joinObjects([head, work, middle, titled, tail, added])
  })
  return { items: `[${items.join(',')}]`, item_count: ratings.length }
}

/** Maps the works of ratings to the user's progress in them, as the API sends it. */
async function listProgress(
  db: Database,
  accountId: number,
  ratings: readonly { kind: WorkKind; work_id: number }[],
  hasNote: boolean,
) {
  const ids = ratings.map(({ work_id: id }) => id)
  const [stored, totals] = await Promise.all([
    findProgressOf(db, accountId, ids),
    findVolumeTotals(db, ids),
  ])
  return new Map(
    ratings.map(({ kind, work_id: workId }) => {
      const progress = stored.get(workId) ?? { ...BLANK_PROGRESS, updated_at: null }
      const volumesTotal = totals.get(workId)
      return [workId, toProgressResponse({ kind, workId }, progress, { volumesTotal, hasNote })]
    }),
  )
}

/** Merges serialized JSON objects into one. */
const joinObjects = (objects: readonly string[]) =>
  `{${objects
    .map((object) => object.slice(1, -1))
    .filter((members) => members !== '')
    .join(',')}}`
