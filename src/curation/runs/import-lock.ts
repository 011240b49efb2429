import { sql } from 'kysely'
import { ADVISORY_LOCKS, holdLock, holdLockOfRun, tryHoldLock } from '../../db/advisory-locks.ts'
import { isLockTimeout } from '../../db/constraint-errors.ts'
import type { Database } from '../../db/database.ts'

/** The import that is at work; without a run where it changes nothing, or is that of an older version. */
export type ImportAtWork = {
  run: number
  source: string
  pid: number | null
  host: string | null
  began_at: Date
}

/** Another import is at work, and it was asked not to wait for it. */
export class ImportBusy extends Error {
  override name = 'ImportBusy'

  constructor(other: ImportAtWork | undefined) {
    super(`${describeImport(other)} is running. Nothing was imported; try again when it has ended.`)
  }
}

/** As the subject of a sentence. */
export function describeImport(other: ImportAtWork | undefined): string {
  if (!other) return 'Another import'
  const { run, source, pid, host, began_at } = other
  return `Import ${run} of ${source} (process ${pid} on ${host}, since ${began_at.toISOString()})`
}

/**
 * Takes the lock under which one import runs at a time, until the transaction ends.
 *
 * @param run its number, by which others know whether it is alive; none for one that leaves no row
 * @param onWait is called once when another import is at work; where it is missing, that is an error
 * @throws {ImportBusy} when another import is at work and it is not to be waited for
 */
export async function takeImportLock(
  trx: Database,
  run: number | undefined,
  onWait: ((other: ImportAtWork | undefined) => void) | undefined,
): Promise<void> {
  if (run !== undefined) await holdLockOfRun(trx, run)
  if (await tryHoldLock(trx, 'imports')) return
  const other = await findImportAtWork(trx)
  if (!onWait) throw new ImportBusy(other)
  onWait(other)
  await holdLock(trx, 'imports')
}

/** Milliseconds for which somebody who changes entries waits for another who does: it takes a second at most. */
const PATIENCE = 5_000

/**
 * Takes the same lock for a short change of entries. It waits for another of its kind, so that of two who do the same at once
 * the second finds it done; not for an import.
 *
 * @throws {ImportBusy} when an import is at work
 */
export async function takeLockBesideNoImport(trx: Database): Promise<void> {
  if (await tryHoldLock(trx, 'imports')) return
  const other = await findImportAtWork(trx)
  if (other) throw new ImportBusy(other)
  try {
    await sql`set local lock_timeout = ${sql.lit(PATIENCE)}`.execute(trx)
    await holdLock(trx, 'imports')
    await sql`set local lock_timeout to default`.execute(trx)
  } catch (error) {
    if (isLockTimeout(error)) throw new ImportBusy(undefined)
    throw error
  }
}

/** SQL: database processes that hold a lock. */
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

/** SQL: rows `(pid, id)` of the runs that are alive, at work or waiting. */
export const liveRuns = holders(ADVISORY_LOCKS.importRuns, 'true', 2)
/** SQL: a row `(pid, id)` while an import is at work. */
export const atWork = holders(0, `objid::bigint = ${ADVISORY_LOCKS.imports}`, 1)

/** Returns the running import, if any. */
export async function findImportAtWork(trx: Database): Promise<ImportAtWork | undefined> {
  const { rows } = await sql<ImportAtWork>`
    select run.id as run, run.source, run.pid, run.host, run.began_at
    from (${atWork}) main
    join (${liveRuns}) alive on alive.pid = main.pid
    join import_runs run on run.id = alive.id`.execute(trx)
  return rows[0]
}
