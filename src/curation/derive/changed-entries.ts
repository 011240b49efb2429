import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/**
 * Makes `changed_entries`, a table of the transaction, unless it is there: the entries of which sources say something else
 * than before. Whoever changes that notes the entry there, `on conflict do nothing`, and exactly these are derived anew
 * with the lists that name them.
 */
export const makeChangedEntries = (trx: Database) =>
  sql`
    create temporary table if not exists changed_entries (
      kind      text,
      entry_id  bigint,
      primary key (kind, entry_id)
    ) on commit drop`.execute(trx)

/** Number of changed entries above which old statistics mislead the planner. */
const MANY = 1_000

/** Whether enough has changed to require `analyze`. */
export const hasManyChanges = async (trx: Database): Promise<boolean> =>
  (await countChangedEntries(trx)) >= MANY

/** The kinds of what is noted there. */
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
