import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'
import {
  lockLatestChanges,
  type PastChange,
  valuesBefore,
} from '../../ratings/own/history-queries.ts'
import { deleteRating, saveRating, type RatingKey } from '../../ratings/own/queries.ts'

/**
 * Undoes the last change to a rating: deletes a new rating, or restores a deleted one. The undo is recorded as a
 * change, which can be undone in turn.
 */
export async function undoChange(
  trx: Database,
  accountId: number,
  past: PastChange,
): Promise<void> {
  const { kind, work_id: workId, action } = past
  const key = { accountId, kind, workId }
  if (action === 'CREATED') return deleteRating(trx, key, null)
  const before = valuesBefore(past)
  // A deleted rating without a status has no status in its history.
  await saveRating(trx, key, null, action === 'DELETED' ? { status: null, ...before } : before)
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
