import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import { text } from 'node:stream/consumers'
import type { Config } from '../config/config.ts'
import { tryHoldLock } from '../db/advisory-locks.ts'
import type { Database, OpenDatabase } from '../db/database.ts'
import { databaseTime } from '../db/upkeep/database-clock.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { startPeriodicTask, type PeriodicTask } from '../kernel/async/periodic-task.ts'
import { printableWithin } from '../kernel/printable.ts'
import { backupName } from './places/backup-folder.ts'
import { findBackupPlace, pruneBackups, type BackupPlace } from './places/backup-place.ts'
import { findLastBackup, recordBackup } from './last-backup-queries.ts'

/** Interval, in milliseconds, between checks of whether a backup is due. */
const CHECK_INTERVAL_MS = 60_000

/** Time, in milliseconds, after which a failed backup is retried. */
const RETRY_MS = 3_600_000

/**
 * Maximum number of missing pictures with which a backup replaces an older one. A few may be deleted during a backup. If
 * more are missing, older backups may have them.
 */
const MAX_MISSING_UPLOADS = 5

type Log = {
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
}

export type BackupContext = {
  config: Config
  database: Pick<OpenDatabase, 'db' | 'engine'>
  log: Log
  /** Program and arguments that start the command line. */
  program: () => readonly string[]
}

/**
 * Makes backups at the interval set by `BACKUP_EVERY`. Each runs in its own process, so that the service is not slowed
 * down.
 */
export function startScheduledBackups(
  context: BackupContext,
  checkEveryMs = CHECK_INTERVAL_MS,
): PeriodicTask {
  const { config, log } = context
  let notBefore = 0
  const place = findBackupPlace(config)
  const run = async (stopping: AbortSignal) => {
    if (place === undefined || config.backupEveryMs === undefined) return
    if (performance.now() < notBefore) return
    try {
      if (await isDue(context.database.db, config.backupEveryMs))
        await makeInTurn(context, place, config.backupEveryMs, stopping)
    } catch (err) {
      if (stopping.aborted) return
      notBefore = performance.now() + Math.min(RETRY_MS, config.backupEveryMs)
      log.warn(
        { err, folder: place.address, last: (await findLastBackup(context.database.db))?.takenAt },
        'The scheduled backup failed and will be retried within an hour. Free some space, correct the folder or bucket, or set BACKUP_DIR to another folder.',
      )
    }
  }
  return startPeriodicTask(checkEveryMs, run, (err) =>
    log.warn({ err }, 'Could not check when the next backup is due; retrying'),
  )
}

async function isDue(db: Database, everyMs: number) {
  const last = await findLastBackup(db, 'scheduled')
  return (
    last === undefined || (await databaseTime(db)).getTime() - last.takenAt.getTime() >= everyMs
  )
}

/** Makes the backup unless another process is making it or has made it. */
function makeInTurn(
  context: BackupContext,
  place: BackupPlace,
  everyMs: number,
  stopping: AbortSignal,
): Promise<void> {
  const { db, engine } = context.database
  // The embedded database has one process, and a transaction would hold its only connection.
  if (engine === 'embedded') return makeScheduled(context, place, { stopping })
  return inLongTransaction(db, Infinity, async (trx) => {
    if ((await tryHoldLock(trx, 'backups')) && (await isDue(trx, everyMs)))
      await makeScheduled({ ...context, database: { db: trx, engine } }, place, { stopping })
  })
}

/**
 * Makes a backup of an embedded database that is about to be migrated.
 *
 * @param migration the first migration that will run
 * @throws {Error} if it fails; the message says how to migrate without it
 */
export async function backUpBeforeMigration(
  context: BackupContext,
  migration: string,
): Promise<void> {
  const { config, database } = context
  const place = findBackupPlace(config)
  if (place === undefined || database.engine === 'server' || config.backupEveryMs === undefined)
    return
  try {
    await makeScheduled(context, place, { migration })
  } catch (error) {
    throw new Error(
      `The backup before migration ${migration} failed: ${error instanceof Error ? error.message : String(error)} ` +
        'Nothing was changed. Correct this, set BACKUP_DIR to another folder, or set BACKUP_EVERY=off to migrate without a backup.',
      { cause: error },
    )
  }
}

async function makeScheduled(
  { config, database: { db, engine }, log, program }: BackupContext,
  place: BackupPlace,
  { stopping, migration }: { stopping?: AbortSignal; migration?: string },
) {
  const began = performance.now()
  await place.prepare()
  const file = place.pathOf(backupName(await databaseTime(db), migration))
  let heldMs: number | undefined
  let made: Made
  if (engine === 'server') made = await runBackup(program(), [file], stopping)
  else {
    const { copyCluster } = await import('../db/embedded/cluster-copy.ts')
    const copy = await copyCluster(db, config.dataDir)
    heldMs = Math.round(copy.heldMs)
    made = await runBackup(program(), [file, '--copy', copy.dataDir], stopping).finally(copy.remove)
  }
  await recordBackup(db, made, migration === undefined)
  const { missing_uploads } = made
  const isComplete = missing_uploads <= MAX_MISSING_UPLOADS
  if (missing_uploads > 0)
    log.warn(
      { file, missing_uploads },
      `The backup lacks uploaded pictures that the bucket does not have. Check BUCKET_URL and BUCKET_PREFIX.${isComplete ? '' : ' No old backup was deleted.'}`,
    )
  const deleted = isComplete ? await prune(place, config, log, stopping) : []
  log.info(
    {
      file,
      bytes: made.bytes,
      rows: made.rows,
      seconds: Math.round((performance.now() - began) / 1000),
      ...(heldMs !== undefined && { held_ms: heldMs }),
      ...(deleted.length > 0 && { deleted }),
    },
    migration === undefined ? 'Made a backup' : 'Made a backup before migrating',
  )
}

/** Deletes the oldest backups. A failure is logged. */
const prune = (
  place: BackupPlace,
  { backupKeep }: Config,
  log: Log,
  stopping?: AbortSignal,
): Promise<string[]> =>
  pruneBackups(place, backupKeep, stopping).catch((err: unknown) => {
    if (!stopping?.aborted)
      log.warn(
        { err, folder: place.address },
        'Could not delete the oldest backups; the next backup retries. Allow the service to delete files there.',
      )
    return []
  })

/** Output of `mokuroku backup --json`. */
type Made = { file: string; bytes: number; rows: number; taken_at: string; missing_uploads: number }

/** Runs `mokuroku backup`, with a low priority. */
async function runBackup(
  [command = '', ...program]: readonly string[],
  args: string[],
  signal?: AbortSignal,
): Promise<Made> {
  const child = spawn(command, [...program, 'backup', ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(signal && { signal }),
  })
  const closed = once(child, 'close')
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has ended, or the system does not allow it.
  }
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), closed])
  if (child.exitCode !== 0)
    throw new Error(
      printableWithin(1_000, errors.trim().split('\n').at(-1) ?? '') ||
        `The backup's process ended (${child.signalCode ?? child.exitCode}).`,
    )
  // as: printed by our own command
  return JSON.parse(output) as Made
}
