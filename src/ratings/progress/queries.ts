import { missingEntryError } from '../../catalog/merged.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { queryRow, queryRows } from '../../db/query.ts'
import { forAnyValue } from '../../db/generic-plan.ts'
import { statement } from '../../db/statement.ts'
import { inTransaction } from '../../db/transaction.ts'
import { noSuchAccount } from '../../http/wire/errors/feature-refusals.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { lockUser, type RatingKey } from '../own/queries.ts'
import {
  BLANK_PROGRESS,
  PROGRESS_FIELDS,
  progressDifferences,
  type ProgressChange,
  type ProgressFields,
} from './fields.ts'
import { tooManyLabels } from './progress-rules.ts'
import { writeProgress } from './write-queries.ts'

/** A user's progress in a work. `updated_at` is null if the user has recorded none. */
export type WorkProgress = ProgressFields & { updated_at: Date | null }

export type StoredProgress = ProgressFields & { work_id: number; kind: WorkKind; updated_at: Date }

/** Progress columns of `progress`. Arrays are JSON. */
export const PROGRESS_COLUMNS = PROGRESS_FIELDS.map((field) => `progress.${field}`).join(', ')

const FIND = statement('ratings.progress_find').returning<StoredProgress>(`
  select progress.work_id, progress.kind, progress.updated_at, ${PROGRESS_COLUMNS}
  from progress
  where progress.account_id = $1 and progress.work_id = any($2::bigint[])
  order by progress.work_id`)

/** Maps works to the user's progress in them. Works without progress are omitted. */
export async function findProgressOf(
  db: Database,
  accountId: number,
  workIds: number[],
): Promise<Map<number, StoredProgress>> {
  const rows = await queryRows(db, FIND, [accountId, workIds])
  return new Map(rows.map((row) => [row.work_id, row]))
}

/** Returns the user's progress in a work, or blank progress. */
export async function findWorkProgress(
  db: Database,
  { accountId, kind, workId }: RatingKey,
): Promise<WorkProgress> {
  const stored = (await findProgressOf(db, accountId, [workId])).get(workId)
  return stored?.kind === kind ? stored : { ...BLANK_PROGRESS, updated_at: null }
}

/** Selects the number of volumes per work; null if unknown. */
const VOLUMES = statement('ratings.progress_volumes').returning<{
  id: number
  volumes: number | null
}>(`
  select wanted.id, coalesce(
    (select nullif(novel.total_volumes, 0) from light_novels novel where novel.id = wanted.id),
    (select nullif(count(*), 0)::integer from manga_volumes volume where volume.manga_id = wanted.id)
  ) as volumes
  from unnest(${forAnyValue('$1::bigint[]')}) wanted (id)`)

/** Maps works to the number of their volumes, as far as the catalog knows it. */
export async function findVolumeTotals(
  db: Database,
  workIds: number[],
): Promise<Map<number, number>> {
  if (workIds.length === 0) return new Map()
  const rows = await queryRows(db, VOLUMES, [workIds])
  return new Map(rows.flatMap(({ id, volumes }) => (volumes === null ? [] : [[id, volumes]])))
}

/** Locks the table before the row of the work, in the same order as a merge of works. */
const LOCK_PROGRESS = statement('ratings.progress_lock').sql(
  'select from progress where account_id = $1 and work_id = $2 for no key update',
)

const LOCK_WORK = statement('ratings.progress_lock_work').returning<{ admits: boolean }>(`
  select
    not work.withdrawn
      or exists (select from ratings rating where rating.account_id = $1 and rating.work_id = work.id)
      or exists (select from progress where progress.account_id = $1 and progress.work_id = work.id) as admits
  from work_refs work
  where work.id = $2 and work.kind = $3
  for key share of work`)

const LABELS = statement('ratings.progress_labels').returning<{ label: string; works: number }>(`
  select label.name as label, count(*)::integer as works
  from progress
  cross join jsonb_array_elements_text(progress.labels) label (name)
  where progress.account_id = $1
  group by label.name
  order by label.name collate "C"`)

/** Lists the user's labels with the number of works that have each. */
export const listLabels = (db: Database, accountId: number) => queryRows(db, LABELS, [accountId])

const NOTE_CHANGE = statement('ratings.progress_note_change').sql(`
  insert into rating_changes (account_id, work_id, kind, action, client_id, fields)
  values ($1, $2, $3, 'CHANGED', $4, $5::jsonb)`)

/** Adds fields to the history entry of the same transaction, so that both are undone together. */
const JOIN_CHANGE = statement('ratings.progress_join_change').sql(`
  update rating_changes set fields = fields || $3::jsonb where account_id = $1 and id = $2`)

/**
 * Changes a user's progress in a work and records the change in the history, while the user's data is locked.
 *
 * @param clientId app to store in the history; null if the user makes the change on a page of the site
 * @param changeOf computes the change from the stored progress; an error cancels it
 * @param options `joined` is the id of a history entry of the same work to which the fields are added. An undo omits labels
 * that the user may no longer add, instead of being rejected.
 * @throws {ApiError} `COMMON_NOT_FOUND` or `WIKI_RESOURCE_MERGED` if there is no such work, or if it was withdrawn and
 * the user has no record of it; `COMMON_VALIDATION_FAILED` if the user would have too many different labels
 */
export function changeProgress(
  db: Database,
  key: RatingKey,
  clientId: string | null,
  changeOf: (stored: WorkProgress, trx: Database) => ProgressChange | Promise<ProgressChange>,
  { joined, isUndo = false }: { joined?: number | undefined; isUndo?: boolean } = {},
): Promise<WorkProgress> {
  const { accountId, kind, workId } = key
  return inTransaction(db, async (trx) => {
    if ((await lockUser(trx, accountId)).length === 0) throw noSuchAccount()
    await queryRows(trx, LOCK_PROGRESS, [accountId, workId])
    const work = await queryRow(trx, LOCK_WORK, [accountId, workId, kind])
    if (!work?.admits) throw await missingEntryError(trx, kind, workId, true)
    const stored = await findWorkProgress(trx, key)
    const change = await changeOf(stored, trx)
    if (Object.keys(progressDifferences(stored, change)).length === 0) return stored
    const [written] = await writeProgress(trx, accountId, [{ work: key, stored, change }])
    if (written?.lacksLabels && !isUndo) throw validationError([tooManyLabels()])
    if (!written || Object.keys(written.fields).length === 0) return findWorkProgress(trx, key)
    const noted = JSON.stringify(written.fields)
    await (joined === undefined
      ? queryRows(trx, NOTE_CHANGE, [accountId, workId, kind, clientId, noted])
      : queryRows(trx, JOIN_CHANGE, [accountId, joined, noted]))
    return findWorkProgress(trx, key)
  })
}
