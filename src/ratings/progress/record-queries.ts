import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import type { RatingChange } from '../fields.ts'
import { findChangeAfter, findLastChangeId } from '../own/history-queries.ts'
import { saveProgressRows } from '../lists/imports/progress-queries.ts'
import {
  deleteRating,
  deleteRatings,
  findRating,
  lockUser,
  saveRating,
  type Rating,
  type RatingKey,
} from '../own/queries.ts'
import { BLANK_PROGRESS, type ProgressChange } from './fields.ts'
import { changeProgress, findProgressOf, findWorkProgress, type WorkProgress } from './queries.ts'

export type RecordChange = {
  /** Undefined leaves the rating unchanged, null deletes it. */
  rating: RatingChange | null | undefined
  progress: ProgressChange
}

/**
 * Changes a user's rating of a work and the progress in it, as a page of the site does. Both are one entry of the
 * history, so that they are undone together.
 *
 * @param changeOf computes the change from what is stored, while it is locked; an error cancels the change
 * @throws {ApiError} the same errors as `saveRating` and `changeProgress`
 */
export function changeRecord(
  db: Database,
  key: RatingKey,
  changeOf: (rating: Rating | undefined, progress: WorkProgress) => RecordChange,
): Promise<void> {
  const { accountId, workId } = key
  return inTransaction(db, async (trx) => {
    await lockUser(trx, accountId)
    const progress = await findWorkProgress(trx, key)
    const change = changeOf(await findRating(trx, key), progress)
    const last = await findLastChangeId(trx, accountId)
    if (change.rating) await saveRating(trx, key, null, change.rating)
    if (change.rating === null) await deleteRating(trx, key, null)
    if (Object.keys(change.progress).length === 0) return
    const joined = await findChangeAfter(trx, accountId, workId, last)
    await changeProgress(trx, key, null, () => change.progress, { joined })
  })
}

/** Deletes a user's rating of a work and the progress in it. */
export async function deleteWorkRecord(db: Database, key: RatingKey): Promise<void> {
  await changeRecord(db, key, (rating, progress) => ({
    rating: rating && null,
    progress: progress.updated_at === null ? {} : BLANK_PROGRESS,
  }))
}

/**
 * Deletes a user's ratings of several works and the progress in them. Works without a record are ignored.
 *
 * @param trx transaction that has locked the user's data
 */
export async function deleteWorkRecords(
  trx: Database,
  accountId: number,
  works: { kind: WorkKind; id: number }[],
): Promise<void> {
  const after = await findLastChangeId(trx, accountId)
  const ids = works.map(({ id }) => id)
  const stored = [...(await findProgressOf(trx, accountId, ids)).values()].filter((progress) =>
    works.some(({ kind, id }) => kind === progress.kind && id === progress.work_id),
  )
  const writes = stored.map((progress) => ({
    work: { kind: progress.kind, workId: progress.work_id },
    stored: progress,
    change: BLANK_PROGRESS,
  }))
  await deleteRatings(trx, accountId, works)
  if (writes.length > 0) await saveProgressRows(trx, accountId, null, { writes, after })
}
