import { sql } from 'kysely'
import { ADVISORY_LOCKS, holdLock, holdLockOfRun, tryHoldLock } from '../../db/advisory-locks.ts'
import { isLockTimeout } from '../../db/constraint-errors.ts'
import type { Database } from '../../db/database.ts'

/** A running import. Imports that change nothing, and imports by older versions, have no run. */
export type RunningImport = {
  run: number
  source: string
  pid: number | null
  host: string | null
  began_at: Date
}

export class ImportBusyError extends Error {
  override name = 'ImportBusyError'

  constructor(other: RunningImport | undefined) {
    super(`${describeImport(other)} is running. Nothing was imported; try again when it has ended.`)
  }
}

/** Describes an import as the subject of a sentence. */
export function describeImport(other: RunningImport | undefined): string {
  if (!other) return 'Another import'
  const { run, source, pid, host, began_at } = other
  return `Import ${run} of ${source} (process ${pid} on ${host}, since ${began_at.toISOString()})`
}

/** Behavior while another import is running. */
export type WhenBusy = {
  /** Defaults to `wait`. */
  whenBusy?: 'wait' | 'refuse' | undefined
  /** Called once before waiting. */
  onWait?: ((other: RunningImport | undefined) => void) | undefined
}

/**
 * Takes the lock that allows one import at a time, until the transaction ends.
 *
 * @param run number of the run, which shows other processes that the import is alive; undefined for an import that
 * leaves no row
 * @throws {ImportBusyError} if another import is running and `whenBusy` is `refuse`
 */
export async function takeImportLock(
  trx: Database,
  run: number | undefined,
  { whenBusy, onWait }: WhenBusy = {},
): Promise<void> {
  if (run !== undefined) await holdLockOfRun(trx, run)
  if (await tryHoldLock(trx, 'imports')) return
  const other = await findRunningImport(trx)
  if (whenBusy === 'refuse') throw new ImportBusyError(other)
  onWait?.(other)
  await holdLock(trx, 'imports')
}

/** Maximum time, in milliseconds, to wait for another change to entries. Such changes take a second at most. */
const MAX_WAIT_MS = 5_000

/**
 * Takes the import lock for a short change to entries. It waits for other short changes, so that the second of two
 * identical changes sees the first one completed. It does not wait for an import.
 *
 * @throws {ImportBusyError} if an import is running
 */
export async function takeLockUnlessImporting(trx: Database): Promise<void> {
  if (await tryHoldLock(trx, 'imports')) return
  const other = await findRunningImport(trx)
  if (other) throw new ImportBusyError(other)
  try {
    await sql`set local lock_timeout = ${sql.lit(MAX_WAIT_MS)}`.execute(trx)
    await holdLock(trx, 'imports')
    await sql`set local lock_timeout to default`.execute(trx)
  } catch (error) {
    if (isLockTimeout(error)) throw new ImportBusyError(undefined)
    throw error
  }
}

/** SQL for the database processes that hold a lock. */
const holders = (classId: number, objectId: string, subId: 1 | 2) =>
  sql.raw(`
  select pid, objid::bigint as id
  from pg_locks
  where locktype = 'advisory'
    and granted
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = ${classId}
    and ${objectId}
    and objsubid = ${subId}`)

/** SQL for rows `(pid, id)` of runs that are running or waiting. */
export const liveRuns = holders(ADVISORY_LOCKS.importRuns, 'true', 2)
/** SQL for a row `(pid, id)` while an import is running. */
export const runningImport = holders(0, `objid::bigint = ${ADVISORY_LOCKS.imports}`, 1)

export async function findRunningImport(trx: Database): Promise<RunningImport | undefined> {
  const { rows } = await sql<RunningImport>`
    select run.id as run, run.source, run.pid, run.host, run.began_at
    from (${runningImport}) main
    join (${liveRuns}) alive on alive.pid = main.pid
    join import_runs run on run.id = alive.id`.execute(trx)
  return rows[0]
}
