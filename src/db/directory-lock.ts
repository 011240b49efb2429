import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Claims a data directory for this process until `release` is called or the process ends, however it ends.
 *
 * Two processes on one embedded database would corrupt it. Node has no `flock`; SQLite, which is part of Node, takes
 * the operating system's lock on its file, and the kernel lets go of it when the process dies, so no stale lock
 * survives a `kill -9`.
 *
 * @throws {Error} when another process holds it; the message says which directory and what to do
 */
export function lockDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const path = join(directory, 'lock.sqlite')
  const lock = new DatabaseSync(path)
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    lock.close()
    if (cause instanceof Error && /locked|busy/.test(cause.message))
      throw new Error(
        `Another mokuroku process is using the database in ${directory}. ` +
          'Stop it first, or set DATABASE_URL to a PostgreSQL server, which several processes can share.',
        { cause },
      )
    throw cause
  }
  chmodSync(path, 0o600)
  return { release: () => lock.close() }
}
