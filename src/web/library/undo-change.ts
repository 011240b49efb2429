import type { Database } from '../../db/database.ts'
import { RATING_FIELDS, type RatingChange } from '../../ratings/fields.ts'
import { listRatingHistory } from '../../ratings/own/history-queries.ts'
import { deleteRating, saveRating, type RatingKey } from '../../ratings/own/queries.ts'

/**
 * Takes the last change of a record back, as its history tells it: what was new goes, what was deleted is there again. That
 * is a change as well: undone again, it is as it was.
 *
 * @returns whether there was anything to undo
 */
export async function undoChange(db: Database, key: RatingKey): Promise<boolean> {
  const { entries } = await listRatingHistory(db, key.accountId, key, { page: 1, pageSize: 1 })
  const [last] = entries
  if (!last) return false
  if (last.action === 'CREATED') {
    await deleteRating(db, key, null)
    return true
  }
  const before = Object.fromEntries(
    RATING_FIELDS.flatMap((field) => {
      const change = last.fields[field]
      return change ? [[field, change.from]] : []
    }),
  ) as RatingChange // as: the history has the values of those very fields
  // A record of scores alone had no status, and the history of its end names none.
  await saveRating(db, key, null, last.action === 'DELETED' ? { status: null, ...before } : before)
  return true
}
