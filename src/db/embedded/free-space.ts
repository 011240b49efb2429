import { randomFillSync } from 'node:crypto'
import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { MEBIBYTE } from '../../kernel/mebibyte.ts'
import { startPeriodicTask } from '../../kernel/async/periodic-task.ts'

/** With less than two segments of the write-ahead log free, nothing more is written. */
const MIN_FREE_BYTES = 32 * MEBIBYTE

/** For the log alone: what is under way when the disk is found full, and the checkpoint of the shutdown. */
const RESERVE_BYTES = 32 * MEBIBYTE

const POLL_MS = 1_000

/** As PostgreSQL itself refuses what the disk has no room for. */
class DiskFullError extends Error {
  override name = 'DiskFullError'
  readonly code = '53100'
}

const WRITES =
  /\binsert\s+into\b|\bdelete\s+from\b|\bmerge\s+into\b|(?<!\bfor\s+(no\s+key\s+)?)\bupdate\b|^\s*(create|alter|drop|truncate|vacuum|copy)\b/i

export type FreeSpace = {
  /** @throws {DiskFullError} when the statement writes, and there is no room to be sure of */
  admit(statement: string): void
  /** Gives the reserve back to the disk, for a log that cannot grow. @returns whether there was one */
  release(): boolean
  stop(): Promise<void>
}

export type SpaceFacts = { directory: string; free_bytes: number }

export type FreeSpaceOptions = {
  /** Of the file system of a folder, in bytes; another one is for tests. */
  freeBytes?: (directory: string) => Promise<number>
  everyMs?: number
  log?: { warn(facts: SpaceFacts, message: string): void } | undefined
}

/**
 * Watches the room on the disk of the embedded database. When its log cannot grow PostgreSQL panics, which inside this
 * process means that the event loop never turns again; so writes are refused before.
 *
 * @param onPoll is awaited after each look
 */
export function watchFreeSpace(
  directory: string,
  { freeBytes = freeBytesOf, everyMs = POLL_MS, log }: FreeSpaceOptions,
  onPoll: () => Promise<void>,
): FreeSpace {
  const reserve = join(directory, 'reserve')
  let isFull = false

  async function look() {
    const free = await freeBytes(directory)
    const hasReserve = existsSync(reserve)
    if (!hasReserve && free >= MIN_FREE_BYTES + RESERVE_BYTES) fill(reserve)
    const wasFull = isFull
    isFull = free < (hasReserve ? MIN_FREE_BYTES : MIN_FREE_BYTES + RESERVE_BYTES)
    if (isFull && !wasFull)
      log?.warn({ directory, free_bytes: free }, 'The disk is full: nothing is written')
    if (wasFull && !isFull) log?.warn({ directory, free_bytes: free }, 'There is room again')
    await onPoll()
  }

  const { stop } = startPeriodicTask(everyMs, look, () => {})

  return {
    admit(statement) {
      if (isFull && WRITES.test(statement))
        throw new DiskFullError('There is too little room on the disk.')
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

/** Random, for file systems that compress; under another name until it is whole. */
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
