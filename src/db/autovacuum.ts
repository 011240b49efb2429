import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask, type PeriodicTask } from '../kernel/periodic-task.ts'
import type { Database } from './database.ts'
import { runLongStatement } from './long-transaction.ts'
import { queryRows } from './query.ts'

/** Time between two passes, in milliseconds: the default of a server's autovacuum. */
const VACUUM_INTERVAL_MS = 60_000

/** Age, in transactions, at which rows are frozen: the server default. PostgreSQL stops accepting writes at two billion. */
const FREEZE_AGE = 200_000_000

/**
 * Minimum size, in bytes, of tables that the first pass vacuums unasked. The embedded PostgreSQL forgets its counts when it
 * stops, and never counted the rows of an import that was killed.
 */
const MIN_UNCOUNTED_BYTES = 262_144

type DueTable = { name: string; is_bloated: boolean; is_unanalyzed: boolean; is_old: boolean }

/** Thresholds of PostgreSQL's autovacuum, which the embedded one lacks. Catalogs too: imports make temporary tables. */
const FIND_DUE = `
  select name, is_bloated, is_unanalyzed, is_old
  from (
    select
      class.oid::regclass::text as name,
      pg_stat_get_dead_tuples(class.oid) as dead,
      pg_stat_get_dead_tuples(class.oid) > 50 + 0.2 * facts.rows
        or pg_stat_get_ins_since_vacuum(class.oid) > 1000 + 0.2 * facts.rows
        or facts.is_uncounted as is_bloated,
      class.relkind <> 't'
        and (
          pg_stat_get_mod_since_analyze(class.oid) > 50 + 0.1 * facts.rows
          or (facts.is_uncounted and class.reltuples < 0)
        ) as is_unanalyzed,
      age(class.relfrozenxid) > $1 as is_old
    from pg_class class
    cross join lateral (
      select
        greatest(class.reltuples, 0) as rows,
        -- Reading the size of 300 files takes longer than the rest of the query.
        case when $2 then pg_relation_size(class.oid) >= ${MIN_UNCOUNTED_BYTES} else false end as is_uncounted
    ) facts
    where class.relkind in ('r', 'm', 't') and class.relpersistence <> 't'
  ) found
  where is_bloated or is_unanalyzed or is_old
  order by dead desc, name`

export type VacuumOptions = {
  /** True for the first pass since the database was opened. */
  isFirst?: boolean
  /** Ends the pass after the current table. */
  stopping?: AbortSignal
  /** Transactions after which rows are frozen; for tests. */
  freezeAge?: number
}

/**
 * Gives back the space of dead rows, updates the planner's statistics and freezes old rows, one table per
 * statement. With `stopping`, it pauses after each table for as long as that table took, so that requests can run.
 */
export async function vacuumDue(
  db: Database,
  { isFirst = false, stopping, freezeAge = FREEZE_AGE }: VacuumOptions = {},
): Promise<void> {
  // Counts of the last second are not in the statistics yet.
  await queryRows(db, 'select pg_stat_force_next_flush()', [])
  for (const table of await queryRows<DueTable>(db, FIND_DUE, [freezeAge, isFirst])) {
    if (stopping?.aborted) return
    const start = performance.now()
    await runLongStatement(db, statementFor(table))
    if (stopping) await sleep(performance.now() - start, undefined, { signal: stopping }).catch(() => {})
  }
}

function statementFor({ name, is_bloated, is_unanalyzed, is_old }: DueTable) {
  if (!is_bloated && !is_old) return `analyze ${name}`
  return `vacuum (freeze ${is_old}, analyze ${is_unanalyzed}) ${name}`
}

/**
 * Does again and again what autovacuum does on a server.
 *
 * @param everyMs between two passes; for tests
 */
export function startAutovacuum(
  db: Database,
  onError: (error: unknown) => void,
  everyMs = VACUUM_INTERVAL_MS,
): PeriodicTask {
  let isFirst = true
  const pass = async (stopping: AbortSignal) => {
    await vacuumDue(db, { isFirst, stopping })
    isFirst = false
  }
  return startPeriodicTask(everyMs, pass, onError)
}
