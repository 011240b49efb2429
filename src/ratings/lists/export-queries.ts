import { withWorkRefs, type WorkRef } from '../../catalog/work-refs.ts'
import { queryRows } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { pickFieldsOf, type ProgressChange } from '../progress/fields.ts'
import { withoutNote } from '../progress/note-access.ts'
import { findProgressOf } from '../progress/queries.ts'
import type { Rating } from '../own/queries.ts'
import { RATING_COLUMNS } from '../own/sql-fragments.ts'

export type ExportedRating = Rating & {
  kind: WorkKind
  work_id: number
  work: WorkRef
  external_ids: Record<string, string>
  progress: ProgressChange | undefined
}

/** Progress in a work that the user has not rated. */
export type ExportedProgress = Pick<
  ExportedRating,
  'kind' | 'work_id' | 'work' | 'external_ids'
> & { progress: ProgressChange }

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

const NEXT = statement('ratings.next').returning<
  Omit<ExportedRating, 'work' | 'external_ids' | 'progress'>
>(`
  select rating.kind, rating.work_id, ${RATING_COLUMNS}
  from ratings rating
  where rating.account_id = $1 and rating.work_id > $2
  order by rating.work_id
  limit $3`)

const NEXT_PROGRESS = statement('ratings.next_progress').returning<{
  kind: WorkKind
  work_id: number
}>(`
  select progress.kind, progress.work_id
  from progress
  where progress.account_id = $1 and progress.work_id > $2
    and not exists (select from ratings rating where rating.account_id = $1 and rating.work_id = progress.work_id)
  order by progress.work_id
  limit $3`)

type Row = { kind: WorkKind; work_id: number }

/** User whose list is exported, and whether the export contains private notes. */
type ListOwner = { accountId: number; hasNotes: boolean }

/** Adds the catalog fields of the works, and the user's progress in them. */
async function withDetails<Read extends Row>(
  db: Database,
  { accountId, hasNotes }: ListOwner,
  rows: Read[],
) {
  const ids = rows.map(({ work_id: id }) => id)
  const [works, found, stored] = await Promise.all([
    withWorkRefs(db, rows),
    queryRows(db, EXTERNAL_IDS_OF, [ids, rows.map(({ kind }) => kind)]),
    findProgressOf(db, accountId, ids),
  ])
  const externalIds = new Map(found.map(({ id, external_ids }) => [id, external_ids]))
  return works.map((row) => {
    const progress = stored.get(row.work_id)
    return {
      ...row,
      external_ids: externalIds.get(row.work_id) ?? {},
      progress: progress && pickFieldsOf(row.kind, hasNotes ? progress : withoutNote(progress)),
    }
  })
}

/** Reads a batch again, once, if one of its works has been merged since it was read. */
async function nextBatch<Read extends Row>(
  db: Database,
  owner: ListOwner,
  read: () => Promise<Read[]>,
  mayRetry = true,
) {
  const rows = await withDetails(db, owner, await read())
  if (mayRetry && rows.some(({ work }) => work === null)) return nextBatch(db, owner, read, false)
  return {
    shown: rows.flatMap(({ work, ...row }) => (work ? [{ ...row, work }] : [])),
    // Works that are not exported count as read, so that the export does not end before the last batch.
    last: rows.length < BATCH_SIZE ? undefined : rows.at(-1)?.work_id,
  }
}

/** Yields batches of rows, ordered by work. */
async function* readBatches<Read extends Row>(
  db: Database,
  owner: ListOwner,
  read: (after: number) => Promise<Read[]>,
) {
  let last: number | undefined = 0
  while (last !== undefined) {
    const after: number = last
    const batch = await nextBatch(db, owner, () => read(after))
    if (batch.shown.length > 0) yield batch.shown
    last = batch.last
  }
}

/**
 * Yields batches of a user's ratings, ordered by work. A rating that changes during the export is exported either
 * before or after the change.
 */
const readAllRatings = (db: Database, owner: ListOwner): AsyncGenerator<ExportedRating[]> =>
  readBatches(db, owner, (after) => queryRows(db, NEXT, [owner.accountId, after, BATCH_SIZE]))

/** Yields batches of a user's progress in works that the user has not rated. */
async function* readOtherProgress(
  db: Database,
  owner: ListOwner,
): AsyncGenerator<ExportedProgress[]> {
  const read = (after: number) => queryRows(db, NEXT_PROGRESS, [owner.accountId, after, BATCH_SIZE])
  for await (const rows of readBatches(db, owner, read))
    yield rows.flatMap(({ progress, ...row }) => (progress ? [{ ...row, progress }] : []))
}

/** Reads everything that an export contains. */
export const readList = (db: Database, owner: ListOwner): ExportedList => ({
  ratings: readAllRatings(db, owner),
  progress: readOtherProgress(db, owner),
})

/** A user's list, in batches: ratings with their progress, and progress in works without a rating. */
export type ExportedList = {
  ratings: AsyncIterable<ExportedRating[]>
  progress: AsyncIterable<ExportedProgress[]>
}
