import { holdLock } from '../../db/advisory-locks.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'

/**
 * Minimum number of ids that a new epoch skips. The number is random, up to twice as many. It exceeds the number of
 * changes that can have been lost, and two restores of the same backup do not assign the same ids.
 */
const MIN_SKIPPED_IDS = 10_000_000

/** SQL for an id above those of all changes that may have been lost. */
const ID_FLOOR = `
  greatest(id_floor, (select coalesce(max(id), 0) from catalog_changes))
    + ${MIN_SKIPPED_IDS} + floor(random() * ${MIN_SKIPPED_IDS})::bigint`

/**
 * Begins an epoch if the database has none, or if it has been copied or promoted since. The first epoch of a database
 * skips no ids.
 */
const BEGIN_IF_MOVED = statement('catalog.begin_epoch_if_moved').returning<{ epoch: string }>(`
  update feed_state set
    epoch = gen_random_uuid()::text,
    origin = database_origin(),
    id_floor = case when epoch is null then id_floor else ${ID_FLOOR} end
  where epoch is null or origin is distinct from database_origin()
  returning epoch`)

const BEGIN = statement('catalog.begin_epoch').sql(`
  update feed_state set epoch = gen_random_uuid()::text, origin = database_origin(), id_floor = ${ID_FLOOR}`)

/**
 * Begins an epoch if the database has none, or has been copied or promoted since. The caller holds the lock.
 *
 * @returns whether an epoch has begun
 */
export const beginEpochIfMoved = async (trx: Database): Promise<boolean> =>
  (await queryRow(trx, BEGIN_IF_MOVED, [])) !== undefined

/**
 * Begins an epoch if the database has none, or has been copied or promoted since.
 *
 * @returns whether an epoch has begun
 */
export const ensureFeedEpoch = (db: Database): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    await holdLock(trx, 'catalogChanges')
    return beginEpochIfMoved(trx)
  })

/** Begins an epoch after changes may have been lost. */
export async function beginFeedEpoch(db: Database): Promise<void> {
  await queryRow(db, BEGIN, [])
}
