import { withWorkRefs, type WorkRef } from '../../catalog/work-refs.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { Rating } from '../own/queries.ts'
import { RATING_COLUMNS } from '../own/sql-fragments.ts'

export type ExportedRating = Rating & {
  kind: WorkKind
  work_id: number
  work: WorkRef
  external_ids: Record<string, string>
}

/** Number of ratings read at a time, to limit the memory use of an export. */
const BATCH_SIZE = 500

/**
 * SQL for one id per source: preferably from the source's own record, then from another source's record that links to
 * it, then from a withdrawn record.
 */
const EXTERNAL_IDS = `
  select coalesce(json_object_agg(source, external_id order by source collate "C"), '{}')
  from (
    select distinct on (source) source, external_id
    from (
      select 0 as distance, record.source, record.external_id
      from source_records record
      where record.kind = wanted.kind and record.entry_id = wanted.id
      union all
      select 1, link.other_source, link.other_external_id
      from source_records record
      join source_same_as link
        on link.source = record.source and link.kind = record.kind and link.external_id = record.external_id
      where record.kind = wanted.kind and record.entry_id = wanted.id
      union all
      select 2, record.source, record.external_id
      from withdrawn_records record
      where record.kind = wanted.kind and record.entry_id = wanted.id
    ) known
    order by source, distance, length(external_id), external_id collate "C"
  ) one_each`

const EXTERNAL_IDS_OF = statement('ratings.external_ids').returning<{
  id: number
  external_ids: Record<string, string>
}>(`
  select wanted.id, (${EXTERNAL_IDS}) as external_ids
  from unnest($1::bigint[], $2::text[]) wanted (id, kind)`)

const NEXT = statement('ratings.next').returning<Omit<ExportedRating, 'work' | 'external_ids'>>(`
  select rating.kind, rating.work_id, ${RATING_COLUMNS}
  from ratings rating
  where rating.account_id = $1 and rating.work_id > $2
  order by rating.work_id
  limit $3`)

/** Reads a batch of ratings. If one of its works has been merged since the ratings were read, reads it once more. */
async function nextRatings(
  db: Database,
  accountId: number,
  last: number,
  mayRetry = true,
): Promise<ExportedRating[]> {
  const ratings = await queryRows(db, NEXT, [accountId, last, BATCH_SIZE])
  const [works, found] = await Promise.all([
    withWorkRefs(db, ratings),
    queryRows(db, EXTERNAL_IDS_OF, [
      ratings.map(({ work_id: id }) => id),
      ratings.map(({ kind }) => kind),
    ]),
  ])
  const ids = new Map(found.map(({ id, external_ids }) => [id, external_ids]))
  if (mayRetry && works.some(({ work }) => work === null))
    return nextRatings(db, accountId, last, false)
  return works.flatMap(({ work, ...rating }): ExportedRating[] =>
    work ? [{ ...rating, work, external_ids: ids.get(rating.work_id) ?? {} }] : [],
  )
}

/**
 * Yields batches of a user's ratings, ordered by work. A rating that changes during the export is exported either
 * before or after the change.
 */
export async function* readAllRatings(
  db: Database,
  accountId: number,
): AsyncGenerator<ExportedRating[]> {
  let last: number | undefined = 0
  while (last !== undefined) {
    const ratings = await nextRatings(db, accountId, last)
    if (ratings.length > 0) yield ratings
    last = ratings.length < BATCH_SIZE ? undefined : ratings.at(-1)?.work_id
  }
}
