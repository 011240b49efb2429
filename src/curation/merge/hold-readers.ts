import { sql } from 'kysely'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'

/**
 * Holds all that readers write until the transaction ends, so that a merge sees all of it and none comes in between:
 * whoever writes a record, a vote or into a collection waits, and reads what is there then. In this order nobody waits
 * in a circle: each statement of theirs takes its tables before any row, and a deletion of an account `ratings` before
 * `collections`. Whoever applies deltas comes first, since they hold rows of works.
 */
export async function holdReaders(trx: Database, workIds: number[]): Promise<void> {
  await holdLock(trx, 'ratingTotals')
  await sql`lock table ratings in exclusive mode`.execute(trx)
  await sql`lock table collections in exclusive mode`.execute(trx)
  await sql`select from works where id = any(${workIds}::bigint[]) order by id for update`.execute(
    trx,
  )
}
