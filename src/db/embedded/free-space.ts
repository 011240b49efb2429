import { randomFillSync } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { MEBIBYTE } from '../../kernel/mebibyte.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'

/** Minimum free bytes for writes: two segments of the write-ahead log. */
const MIN_FREE_BYTES = 32 * MEBIBYTE

/**
 * Size, in bytes, of the file that reserves space for the log. The log needs the space for work in progress when the
 * disk is found to be full, and for the checkpoint at shutdown.
 */
const RESERVE_BYTES = 32 * MEBIBYTE

const POLL_MS = 1_000

/** An error with the code that PostgreSQL itself uses for a full disk. */
class DiskFullError extends Error {
  override name = 'DiskFullError'
  readonly code = '53100'
}

const WRITES =
  /\binsert\s+into\b|\bdelete\s+from\b|\bmerge\s+into\b|(?<!\bfor\s+(no\s+key\s+)?)\bupdate\b|^\s*(create|alter|drop|truncate|vacuum|copy)\b/i

export type FreeSpace = {
  /** @throws {DiskFullError} if the statement writes and there may be too little space */
  admit(statement: string): void
  /**
   * Deletes the reserve, so that the log can grow.
   *
   * @returns true if there was a reserve
   */
  release(): boolean
  stop(): Promise<void>
}

export type FreeSpaceOptions = {
  /** Overrides how the free bytes of a folder's file system are read, for tests. */
  freeBytes?: (directory: string) => Promise<number>
  intervalMs?: number
  log?: { warn(facts: object, message: string): void } | undefined
}

/**
 * Watches the free space on the embedded database's disk. PostgreSQL panics when its log cannot grow, which would
 * block the event loop of this process forever. Writes are therefore rejected earlier.
 *
 * @param onPoll awaited after each check
 */
export function watchFreeSpace(
  directory: string,
  { freeBytes = freeBytesOf, intervalMs = POLL_MS, log }: FreeSpaceOptions,
  onPoll: () => Promise<void>,
): FreeSpace {
  const reserve = join(directory, 'reserve')
  let isFull = false

  async function check() {
    const free = await freeBytes(directory)
    const hasReserve = existsSync(reserve)
    if (!hasReserve && free >= MIN_FREE_BYTES + RESERVE_BYTES) fill(reserve)
    const wasFull = isFull
    isFull = free < (hasReserve ? MIN_FREE_BYTES : MIN_FREE_BYTES + RESERVE_BYTES)
    if (isFull && !wasFull)
      log?.warn({ directory, free_bytes: free }, 'The disk is full: rejecting writes')
    if (wasFull && !isFull)
      log?.warn({ directory, free_bytes: free }, 'The disk has free space again: accepting writes')
    await onPoll()
  }

  const { stop } = startPeriodicTask(intervalMs, check, () => {})

  return {
    admit(statement) {
      if (isFull && WRITES.test(statement))
        throw new DiskFullError('There is too little space on the disk.')
    },
    release() {
      isFull = true
      if (!existsSync(reserve)) return false
      rmSync(reserve)
      return true
    },
    stop,
  }
}

async function freeBytesOf(directory: string) {
  const { bavail, bsize } = await statfs(directory)
  return bavail * bsize
}

/**
 * Creates the reserve from random bytes, in case the file system compresses. The file has a temporary name until it is
 * complete.
 */
function fill(path: string) {
  const unfinished = `${path}.unfinished`
  const block = randomFillSync(Buffer.alloc(MEBIBYTE))
  const file = openSync(unfinished, 'w', 0o600)
  try {
    for (let written = 0; written < RESERVE_BYTES; written += MEBIBYTE) writeSync(file, block)
  } finally {
    closeSync(file)
  }
  renameSync(unfinished, path)
}
