import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Creates the temporary table `changed_entries`, if it does not exist: entries whose records have changed. Code that
 * writes records adds entries with `on conflict do nothing`. These entries are then derived, and so are the lists that
 * refer to them.
 */
export const createChangedEntries = (trx: Database) =>
  sql`
    create temporary table if not exists changed_entries (
      kind      text,
      entry_id  bigint,
      primary key (kind, entry_id)
    ) on commit drop`.execute(trx)

/** Number of changed entries above which the planner needs new statistics. */
const MANY_CHANGES = 1_000

/** Returns true if enough entries have changed to require `analyze`. */
export const hasManyChanges = async (trx: Database): Promise<boolean> =>
  (await countChangedEntries(trx)) >= MANY_CHANGES

export async function findChangedKinds(trx: Database): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ kind: string }>`select distinct kind from changed_entries`.execute(
    trx,
  )
  return new Set(rows.map(({ kind }) => kind))
}

export async function countChangedEntries(trx: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) from changed_entries`.execute(trx)
  return rows[0]?.count ?? 0
}
