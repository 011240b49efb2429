import type { FastifyRequest } from 'fastify'
import { unavailable } from '../../../http/wire/errors/refusals.ts'

/**
 * Maximum number of concurrent imports per process. Each import occupies a connection, for many seconds if it is large.
 */
const MAX_CONCURRENT = 2

/** Maximum number of waiting imports. Each waiting import holds its file in memory. */
const MAX_WAITING = 20

/** Imports that are writing or waiting in one process. */
export type ImportQueue = {
  /**
   * Runs an import after earlier ones for the same account. Waiting imports occupy no connection.
   *
   * @throws {ApiError} 503 if too many are waiting
   */
  enqueue<Result>(accountId: number, write: () => Promise<Result>): Promise<Result>
  /** Whether an import of the account is writing or waiting in this process. */
  isBusy(accountId: number): boolean
  /**
   * Hook that delays a user's other writes until their import has finished. If they waited in the database instead, a
   * few such requests would occupy all of the process's connections.
   */
  waitForOwn(request: FastifyRequest): Promise<void>
}

export function importQueue(): ImportQueue {
  /** Promises, keyed by account. Each settles when all imports of the account so far have ended. */
  const ends = new Map<number, Promise<unknown>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function withSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running < MAX_CONCURRENT) running += 1
    else if (waiting.length >= MAX_WAITING) throw unavailable()
    // An import that ends passes its slot to the next one.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    enqueue(accountId, write) {
      const before = ends.get(accountId)
      const written = (async () => {
        await before
        return withSlot(write)
      })()
      const end = written
        .catch(() => {})
        .finally(() => {
          if (ends.get(accountId) === end) ends.delete(accountId)
        })
      ends.set(accountId, end)
      return written
    },
    isBusy: (accountId) => ends.has(accountId),
    async waitForOwn({ method, caller }) {
      if (caller?.accountId === undefined || (method !== 'PUT' && method !== 'DELETE')) return
      await ends.get(Number(caller.accountId))
    },
  }
}
