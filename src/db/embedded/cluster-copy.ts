import { constants, type Dirent } from 'node:fs'
import { copyFile, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { sql } from 'kysely'
import { errorCode } from '../../kernel/error-code.ts'
import { removeAtExit } from '../../kernel/remove-at-exit.ts'
import type { Database } from '../database.ts'
import { withDeadline } from '../server/deadlines.ts'
import { clusterOf } from './cluster.ts'
import { lockDirectory } from './directory-lock.ts'
import { COPY_PREFIX, removeLeftCopies } from './leftovers/copies.ts'

/** Files that belong to the process that has the cluster open. */
const OF_PROCESS = /^(postmaster\.pid|in-use\..*)$/

/** Time, in milliseconds, within which two changes to a file may have the same timestamp. */
const TIMESTAMP_GRANULARITY_MS = 2_000

export type ClusterCopy = {
  /** Data directory with the copy, which a process may open. */
  dataDir: string
  /** Time, in milliseconds, for which the database was unavailable to others. */
  heldMs: number
  remove(): Promise<void>
}

/**
 * Copies the files of an embedded database that is in use, in this process or in a service. Most files are copied
 * while the database is in use. Those that have changed since are copied again while a transaction holds its only
 * connection, because PostgreSQL writes no file then.
 *
 * @param directory data directory of the database that `db` uses
 */
export async function copyCluster(db: Database, directory: string): Promise<ClusterCopy> {
  await removeLeftCopies(directory)
  const folder = join(directory, `${COPY_PREFIX}${process.pid}-${Date.now().toString(36)}`)
  const lock = await lockDirectory(folder)
  const dataDir = join(folder, 'data')
  const [source, target] = [clusterOf(directory), clusterOf(dataDir)]
  const removeFolder = removeAtExit(folder)
  const remove = async () => {
    lock.release()
    await removeFolder()
  }
  try {
    await mkdir(dataDir, { mode: 0o700 })
    const heldMs = await withDeadline(Infinity, async () => {
      await sql`checkpoint`.execute(db)
      const copied = await copyFiles(source, target, new Map())
      return db.transaction().execute(async (trx) => {
        const began = performance.now()
        await sql`checkpoint`.execute(trx)
        const present = await copyFiles(source, target, copied)
        for (const file of copied.keys())
          if (!present.has(file)) await rm(join(target, file), { force: true })
        return performance.now() - began
      })
    })
    return { dataDir, heldMs, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/**
 * Files, keyed by path, each with a fingerprint that changes with its content; undefined for a file that has just
 * changed.
 */
type CopiedFiles = Map<string, string | undefined>

/** Copies the files that have not been copied in their current state. */
async function copyFiles(
  source: string,
  target: string,
  copied: CopiedFiles,
): Promise<CopiedFiles> {
  const present: CopiedFiles = new Map()
  const entries = await readdir(source, { recursive: true, withFileTypes: true })
  const pathOf = (entry: Dirent) => relative(source, join(entry.parentPath, entry.name))
  await mkdir(target, { recursive: true, mode: 0o700 })
  for (const folder of entries.filter((entry) => entry.isDirectory()))
    await mkdir(join(target, pathOf(folder)), { recursive: true, mode: 0o700 })
  for (const file of entries.filter((entry) => entry.isFile()).map(pathOf)) {
    if (OF_PROCESS.test(file)) continue
    const path = join(source, file)
    const mark = await markOf(path)
    present.set(file, mark)
    if (mark === undefined || mark !== copied.get(file))
      await copyFile(path, join(target, file), constants.COPYFILE_FICLONE).catch(ignoreMissing)
  }
  return present
}

async function markOf(path: string) {
  try {
    const { mtimeMs, size } = await stat(path)
    return Date.now() - mtimeMs < TIMESTAMP_GRANULARITY_MS ? undefined : `${mtimeMs} ${size}`
  } catch (error) {
    ignoreMissing(error)
    return undefined
  }
}

/** PostgreSQL may delete files in the meantime, such as old segments of its log. */
function ignoreMissing(error: unknown) {
  if (errorCode(error) !== 'ENOENT') throw error
}
