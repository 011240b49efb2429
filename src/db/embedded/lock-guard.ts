import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { exitAtOnce } from './engine-failure.ts'
import type { DirectoryLock } from './directory-lock.ts'

/** Maximum time, in milliseconds, for which a process writes without checking its locks. */
const CHECK_MS = 1_000

/**
 * Time, in milliseconds, that a process waits before it opens a database that another process may have open. By then,
 * the other process has noticed that it lost its locks.
 */
const HANDOVER_MS = 3 * CHECK_MS

export type LockGuard = {
  /** Checks the locks, at most once a second. Ends the process if one is lost. */
  check(): void
  stop(): void
}

/**
 * Ends this process soon after it loses one of its locks, because another process may then open the database. A timer
 * checks the locks. Every write must check them too, because timers do not run during a long statement.
 *
 * @param end called with the path of the lost lock. By default, logs it and exits without closing the database, because
 * closing would write
 */
export function guardLocks(
  locks: readonly DirectoryLock[],
  end: (path: string) => void = endProcess,
): LockGuard {
  let checkedAt = performance.now()
  const check = () => {
    const now = performance.now()
    if (now - checkedAt < CHECK_MS) return
    checkedAt = now
    const lost = locks.find((lock) => !lock.isHeld())
    if (!lost) return
    clearInterval(timer)
    end(lost.path)
  }
  const timer = setInterval(check, CHECK_MS / 2).unref()
  return { check, stop: () => clearInterval(timer) }
}

function endProcess(path: string) {
  exitAtOnce(
    `${path} was deleted or replaced while this process used it as the lock of the embedded database. ` +
      'Ending the process, so that no other process writes to the database at the same time. ' +
      'Make sure that the database is still in its folder, and start the service again.',
  )
}

/**
 * Waits if another process may still have the cluster open although its lock file is gone. This is possible if the
 * database was not shut down cleanly and a lock file is new.
 */
export async function waitForHandover(cluster: string, locks: readonly DirectoryLock[]) {
  if (locks.some(({ isNew }) => isNew) && existsSync(join(cluster, 'postmaster.pid')))
    await sleep(HANDOVER_MS)
}
