import { statement } from '../statement.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { startPeriodicTask, type PeriodicTask } from '../../kernel/async/periodic-task.ts'
import type { Database } from '../database.ts'
import { runLongStatement } from '../server/long-transaction.ts'
import { queryRows } from '../query.ts'
import { findUpkeep, saveUpkeep } from './upkeep-queries.ts'

/** Time between two passes, in milliseconds. Same as the default of a server's autovacuum. */
const VACUUM_INTERVAL_MS = 60_000

/**
 * Age, in transactions, at which rows are frozen: the server default. PostgreSQL stops accepting writes at two billion.
 */
const FREEZE_AGE = 200_000_000

/**
 * Age, in transactions, at which rows are frozen once a month. Otherwise a small installation would freeze nothing for
 * years, and then all tables at once.
 */
const MONTHLY_FREEZE_AGE = 100_000

/** Maximum time, in milliseconds, that a vacuum waits for the connection to be idle. */
const MAX_BUSY_MS = 10_000
const BUSY_POLL_MS = 50

/**
 * Bounds for the tables that a pass vacuums by size, regardless of row counts. The embedded PostgreSQL loses its row
 * counts when it stops, and never counts the rows of a killed import.
 */
export type SizeBounds = {
  minBytes: number
  maxBytes: number
  /** Skips tables that have hardly grown since their last vacuum. */
  onlyGrown: boolean
}

/**
 * Minimum size, in bytes, of tables that are vacuumed only while no requests are served. A vacuum blocks the event
 * loop until its table is done, and the watchdog kills a process whose event loop is blocked for too long.
 */
const LARGE_BYTES = 64 * 2 ** 20

/** Bounds for an import: all tables but the smallest. */
export const ANY_SIZE: SizeBounds = {
  minBytes: 256 * 2 ** 10,
  maxBytes: Number.MAX_SAFE_INTEGER,
  onlyGrown: false,
}
/** Bounds for startup, before the watchdog runs. */
export const LARGE: SizeBounds = { ...ANY_SIZE, minBytes: LARGE_BYTES, onlyGrown: true }
/** Bounds for the first pass of a service. */
const SMALL: SizeBounds = { ...ANY_SIZE, maxBytes: LARGE_BYTES - 1 }

type DueTable = { name: string; is_bloated: boolean; is_unanalyzed: boolean; is_old: boolean }

/**
 * Finds tables by the thresholds of PostgreSQL's autovacuum, which the embedded PostgreSQL lacks. Includes the system
 * catalogs, because imports create temporary tables.
 */
const FIND_DUE = statement('db.find_due').returning<DueTable>(`
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
        case
          when $2::bigint is null then false
          else pg_relation_size(class.oid) between $2 and $3
            and (not $4 or pg_relation_size(class.oid) > 1.2 * class.relpages * current_setting('block_size')::integer)
        end as is_uncounted
    ) facts
    where class.relkind in ('r', 'm', 't') and class.relpersistence <> 't'
  ) found
  where is_bloated or is_unanalyzed or is_old
  order by dead desc, name`)

export type VacuumOptions = {
  /** Bounds for the tables to vacuum regardless of row counts, in the first pass after the database is opened. */
  bySize?: SizeBounds | undefined
  /** Ends the pass after the current table when aborted. */
  stopping?: AbortSignal
  /** Whether requests are waiting for the connection. The vacuum of the next table then waits. */
  isBusy?: (() => boolean) | undefined
  /** Overrides the age at which rows are frozen. */
  freezeAge?: number
  /** Overrides the age at which rows are frozen once a month. */
  monthlyFreezeAge?: number
}

const FLUSH_STATISTICS = statement('db.flush_statistics').sql('select pg_stat_force_next_flush()')

/**
 * Reclaims the space of dead rows, updates the planner's statistics and freezes old rows, one table per statement.
 * With `stopping`, the pass pauses after each table for as long as the table took, so that requests can run. Records
 * the result for `mokuroku doctor`. After a crash, the next pass continues with the remaining tables.
 *
 * @throws {AggregateError} after the pass, if some tables failed
 */
export async function vacuumDue(
  db: Database,
  {
    bySize,
    stopping,
    isBusy = () => false,
    freezeAge = FREEZE_AGE,
    monthlyFreezeAge = MONTHLY_FREEZE_AGE,
  }: VacuumOptions = {},
): Promise<void> {
  // The statistics lag by up to a second.
  await queryRows(db, FLUSH_STATISTICS, [])
  const { minBytes = null, maxBytes = null, onlyGrown = false } = bySize ?? {}
  const upkeep = await findUpkeep(db)
  const isFreezing = upkeep?.is_freeze_due ?? false
  const age = isFreezing ? Math.min(freezeAge, monthlyFreezeAge) : freezeAge
  const failures = new Map<string, unknown>()
  const tables = await queryRows(db, FIND_DUE, [age, minBytes, maxBytes, onlyGrown])
  for (const table of tables) {
    await waitWhile(isBusy, stopping)
    if (stopping?.aborted) return
    const start = performance.now()
    await runLongStatement(db, statementFor(table)).catch((error: unknown) =>
      failures.set(table.name, error),
    )
    if (stopping)
      await sleep(performance.now() - start, undefined, { signal: stopping }).catch(() => {})
  }
  const failed = [...failures.keys()]
  if (!upkeep || isFreezing || tables.length > 0 || failed.join() !== upkeep.failed.join())
    await saveUpkeep(db, {
      tables: tables.length - failed.length,
      failed,
      isFrozen: isFreezing && failed.length === 0,
    })
  if (failures.size > 0)
    throw new AggregateError(failures.values(), `Tables not vacuumed: ${failed.join(', ')}`)
}

async function waitWhile(isBusy: () => boolean, stopping: AbortSignal | undefined) {
  const canWait = () => isBusy() && !stopping?.aborted
  for (let waited = 0; waited < MAX_BUSY_MS && canWait(); waited += BUSY_POLL_MS)
    await sleep(BUSY_POLL_MS)
}

/** A TOAST table is vacuumed separately, because one statement for both would take longer. */
function statementFor({ name, is_bloated, is_unanalyzed, is_old }: DueTable) {
  if (!is_bloated && !is_old) return `analyze ${name}`
  return `vacuum (freeze ${is_old}, analyze ${is_unanalyzed}, process_toast false) ${name}`
}

export type AutovacuumOptions = Pick<VacuumOptions, 'isBusy'> & { intervalMs?: number }

/**
 * Runs passes periodically, like autovacuum on a server.
 *
 * @param intervalMs between two passes; for tests
 */
export function startAutovacuum(
  db: Database,
  onError: (error: unknown) => void,
  { isBusy, intervalMs = VACUUM_INTERVAL_MS }: AutovacuumOptions = {},
): PeriodicTask {
  let bySize: SizeBounds | undefined = SMALL
  const pass = async (stopping: AbortSignal) => {
    const options = { bySize, stopping, isBusy }
    // This is also done after a failure, so that one bad table does not cause all other tables to be vacuumed every
    // minute.
    bySize = undefined
    await vacuumDue(db, options)
  }
  return startPeriodicTask(intervalMs, pass, onError)
}
