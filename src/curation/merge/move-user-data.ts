import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { AffectedAccounts } from './lock-user-data.ts'
import { moveFavorite, restoreFavorite } from './merged-favorites.ts'
import { moveItems, restoreItems } from './merged-items.ts'
import { moveProgress, restoreProgress } from './merged-progress.ts'
import { moveRating } from './move-ratings.ts'
import { restoreRating } from './restore-ratings.ts'
import type { WorkMerge } from './work-merge.ts'

/**
 * Moves user data from a work to the work it is merged into, account by account. Each statement names its account, so
 * it runs on the machine with the account's data (decision 0039). Everything needed to undo the merge is stored.
 *
 * @param accounts from `lockUserData`
 */
export async function moveUserData(
  trx: Database,
  merge: WorkMerge,
  accounts: AffectedAccounts,
): Promise<void> {
  await subtractFromKind(trx, merge)
  for (const id of accounts.ratings) await moveRating(trx, id, merge)
  for (const id of accounts.progress) await moveProgress(trx, id, merge)
  for (const id of accounts.favorites) await moveFavorite(trx, id, merge)
  for (const id of accounts.items) await moveItems(trx, id, merge)
}

/**
 * Moves user data back to a work when its merge is undone, account by account.
 *
 * @param accounts from `lockMergedUserData`
 * @param trx has restored the work
 */
export async function restoreUserData(
  trx: Database,
  merge: WorkMerge,
  accounts: AffectedAccounts,
): Promise<void> {
  for (const id of accounts.ratings) await restoreRating(trx, id, merge)
  for (const id of accounts.progress) await restoreProgress(trx, id, merge)
  for (const id of accounts.favorites) await restoreFavorite(trx, id, merge)
  for (const id of accounts.items) await restoreItems(trx, id, merge)
}

/** Removes a work from the total of its kind. Its ratings are counted again for the work they move to. */
async function subtractFromKind(trx: Database, { kind, from }: WorkMerge): Promise<void> {
  await sql`
    update kind_ratings total
    set total = total.total - gone.total, sum = total.sum - gone.sum
    from (
      select coalesce(sum(amount), 0) as total, coalesce(sum(amount * value::numeric), 0) as sum
      from rating_counts
      where work_id = ${from} and field = 'rate'
    ) gone
    where total.kind = ${kind} and gone.total > 0`.execute(trx)
}
