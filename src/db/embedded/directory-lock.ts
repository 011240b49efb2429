import { chmodSync, existsSync, statSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { errorCode } from '../../kernel/error-code.ts'
import { makeFolder } from '../../kernel/make-folder.ts'

export type DirectoryLock = {
  path: string
  /** Whether this process created the lock file. */
  isNew: boolean
  /** Returns false once the file has been deleted or replaced, because another process can then take the lock. */
  isHeld(): boolean
  release(): void
}

/** Another process holds a lock. */
export class DirectoryLockedError extends Error {
  override name = 'DirectoryLockedError'
}

/**
 * Locks a data directory for this process until `release` is called or the process exits for any reason.
 *
 * @throws {Error} if another process holds the lock; the message names the directory and says what to do
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await makeFolder(directory, 0o700)
  return lockFile(join(directory, 'lock.sqlite'), directory)
}

/**
 * Takes a second lock inside the cluster, which protects the files even if someone deletes `lock.sqlite` to bypass the
 * first lock.
 *
 * @param cluster folder of an existing cluster
 * @throws {Error} like `lockDirectory`
 */
export const lockCluster = (cluster: string): DirectoryLock =>
  lockFile(join(cluster, 'in-use.sqlite'), cluster)

/**
 * Locks a file through SQLite, because Node has no `flock`. The kernel releases the lock when the process dies, so no
 * stale lock survives a `kill -9`.
 */
function lockFile(path: string, directory: string): DirectoryLock {
  const isNew = !existsSync(path)
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    lock.close()
    if (cause instanceof Error && /locked|busy/.test(cause.message))
      throw new DirectoryLockedError(
        `Another mokuroku process is using the database in ${directory}. ` +
          'Stop it first, or set DATABASE_URL to a PostgreSQL server, which several processes can share.',
        { cause },
      )
    throw cause
  }
  chmodSync(path, 0o600)
  const locked = statSync(path, { bigint: true })
  return { path, isNew, isHeld: () => isStillThere(path, locked), release: () => lock.close() }
}

/**
 * Whether a path still refers to the same file. Never opens the file, because closing it would release the lock.
 * Compares two properties, because inode numbers change on some network file systems.
 */
function isStillThere(path: string, { ino, birthtimeNs }: BigIntStats): boolean {
  try {
    const found = statSync(path, { bigint: true })
    return found.ino === ino || found.birthtimeNs === birthtimeNs
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')
  }
}
