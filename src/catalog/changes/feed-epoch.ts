import { holdLock } from '../../db/advisory-locks.ts'
import { queryRow } from '../../db/query.ts'
import { statement } from '../../db/statement.ts'
import type { Database } from '../../db/database.ts'
import { inTransaction } from '../../db/transaction.ts'

/**
 * Ids that a new epoch skips: at least this many, and up to twice as many, at random. More changes cannot have been
 * lost, and two restores of one backup do not assign the same ids.
 */
const MIN_SKIPPED_IDS = 10_000_000

/** SQL for the first id that no lost change had. */
const ID_FLOOR = `
  greatest(id_floor, (select coalesce(max(id), 0) from catalog_changes))
    + ${MIN_SKIPPED_IDS} + floor(random() * ${MIN_SKIPPED_IDS})::bigint`

/**
 * SQL that begins an epoch if the database has none or is not the one in which the epoch began. The first epoch of a
 * database skips no ids.
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

/** Begins an epoch if the database has none, or has been copied or promoted since. The caller holds the lock. */
export const beginEpochIfMoved = async (trx: Database): Promise<boolean> =>
  (await queryRow(trx, BEGIN_IF_MOVED, [])) !== undefined

/** Begins the first epoch, or another one if the database has been copied or promoted. */
export const ensureFeedEpoch = (db: Database): Promise<boolean> =>
  inTransaction(db, async (trx) => {
    await holdLock(trx, 'catalogChanges')
    return beginEpochIfMoved(trx)
  })

/** Begins an epoch after changes may have been lost. */
export async function beginFeedEpoch(db: Database): Promise<void> {
  await queryRow(db, BEGIN, [])
}
