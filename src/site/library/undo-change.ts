import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  findChangeAfter,
  findLastChangeId,
  lockLatestChanges,
  type PastChange,
  progressBefore,
  valuesBefore,
} from '../../ratings/own/history-queries.ts'
import { changeProgress } from '../../ratings/progress/queries.ts'
import { deleteRating, saveRating, type RatingKey } from '../../ratings/own/queries.ts'

/**
 * Undoes the last change to a record: deletes a new rating, or restores a deleted one, and restores progress. The undo
 * is recorded as a change, which can be undone in turn.
 */
export async function undoChange(
  trx: Database,
  accountId: number,
  past: PastChange,
): Promise<void> {
  const { kind, work_id: workId, action } = past
  const key = { accountId, kind, workId }
  const before = valuesBefore(past)
  const last = await findLastChangeId(trx, accountId)
  if (action === 'CREATED') await deleteRating(trx, key, null)
  // A deleted rating without a status has no status in its history.
  else if (action === 'DELETED') await saveRating(trx, key, null, { status: null, ...before })
  else if (Object.keys(before).length > 0) await saveRating(trx, key, null, before)
  const progress = progressBefore(past)
  if (Object.keys(progress).length === 0) return
  const joined = await findChangeAfter(trx, accountId, workId, last)
  await changeProgress(trx, key, null, () => progress, { joined, isUndo: true })
}

/**
 * Undoes the rating change that a page named.
 *
 * @returns false if the rating has been changed since, so that nothing was undone
 */
export const undoNamedChange = (
  db: Database,
  { accountId, kind, workId }: RatingKey,
  ids: number[],
): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    const [change] = (await lockLatestChanges(trx, accountId, ids)) ?? []
    if (change?.work_id !== workId || change.kind !== kind) return false
    await undoChange(trx, accountId, change)
    return true
  })
