import { sql } from 'kysely'
import { isDistributed } from '../../db/sharding/distribute.ts'
import { holdLock } from '../../db/advisory-locks.ts'
import type { Database } from '../../db/database.ts'
import { EntryRefusedError } from './entry-refusal.ts'

/**
 * Locks all user data until the transaction ends, so that a merge sees all of it and no request writes in the
 * meantime. Writers of ratings, votes and collections wait and then see the merged state.
 *
 * The order avoids deadlocks: user requests lock their tables before any row, and deleting an account locks `ratings`
 * before `collections`. The lock for applying deltas comes first, because it covers rows of works.
 *
 * @throws {EntryRefusedError} if user data is distributed: no lock covers the tables of several machines
 */
export async function lockUserData(trx: Database, workIds: number[]): Promise<void> {
  if (await isDistributed(trx)) throw new EntryRefusedError({ code: 'merge.distributed' })
  await holdLock(trx, 'ratingTotals')
  await sql`lock table ratings in exclusive mode`.execute(trx)
  await sql`lock table progress in exclusive mode`.execute(trx)
  await sql`lock table favorites in exclusive mode`.execute(trx)
  await sql`lock table collections in exclusive mode`.execute(trx)
  await lockWorks(trx, workIds)
}

/** Locks works. Users who rate or collect one of them wait for the lock on its row in `work_refs`. */
export async function lockWorks(trx: Database, workIds: number[]): Promise<void> {
  for (const table of ['works', 'work_refs'])
    await sql`
      select from ${sql.table(table)} where id = any(${workIds}::bigint[]) order by id for update`.execute(
      trx,
    )
}
