import type { ServerResponse } from 'node:http'
import { tooManyWaiting } from '../../http/wire/errors/feature-refusals.ts'
import { unavailable } from '../../http/wire/errors/refusals.ts'
import { releaseParser } from '../../http/wire/waiting.ts'

/** Limits of the requests that wait at once. */
export type WaiterLimits = { perProcess: number; perApp: number }

/** A request that may wait for changes. */
export type WaitingRequest = {
  clientId: string
  waitMs: number
  /** Ends the wait when its connection is closed. */
  response: ServerResponse
  /** Parameters that identify the page. Requests for the same page share one read. */
  page: unknown
}

/**
 * Requests that wait for the change feed. One signal per process wakes them all. A waiting request holds no database
 * connection, and requests that wait for the same page share one read.
 */
export class FeedWaiters<Page> {
  readonly #limits: WaiterLimits
  readonly #waiting = new Set<() => void>()
  readonly #perApp = new Map<string, number>()
  readonly #reads = new Map<string, Promise<Page>>()
  /** Reads of woken requests run one after the other, so that they leave connections to other requests. */
  #lastRead: Promise<unknown> = Promise.resolve()
  /** Number of requests that have entered, including those that are reading. */
  #total = 0
  #revision = 0
  #isClosed = false

  constructor(limits: WaiterLimits) {
    this.#limits = limits
  }

  /** Number of waiting requests, including those that are reading. */
  get size() {
    return this.#total
  }

  /** Makes every waiting request read again. Call it after changes were committed. */
  wake() {
    this.#revision += 1
    for (const resolve of this.#waiting) resolve()
  }

  /** Ends every wait: its request returns the last page read. Later requests do not wait. */
  close() {
    this.#isClosed = true
    this.wake()
  }

  /**
   * Reads a page, and reads it again after each change until it has changes or the wait times out. Thousands of requests
   * may wait, so each keeps as few objects as possible.
   *
   * @returns the page, and whether the request has waited
   * @throws {ApiError} 429 if too many requests of the app wait, 503 if too many of the process do
   */
  async read(
    request: WaitingRequest,
    readPage: () => Promise<Page>,
    hasChanges: (page: Page) => boolean,
  ): Promise<{ page: Page; waited: boolean }> {
    const end = performance.now() + request.waitMs
    // Taken before the read: a change that the read misses increments it later.
    let seen = this.#revision
    let page = await readPage()
    if (this.#isClosed || request.waitMs === 0 || hasChanges(page)) return { page, waited: false }
    const { response } = request
    this.#enter(request.clientId)
    try {
      releaseParser(response)
      for (;;) {
        const milliseconds = Math.ceil(end - performance.now())
        if (seen === this.#revision && milliseconds > 0 && !response.destroyed) {
          const { promise, resolve } = Promise.withResolvers<void>()
          // Node keeps one list of timers for each duration.
          const timer = setTimeout(resolve, milliseconds).unref()
          response.on('close', resolve)
          this.#waiting.add(resolve)
          await promise
          this.#waiting.delete(resolve)
          response.off('close', resolve)
          clearTimeout(timer)
        }
        if (this.#isClosed || response.destroyed || seen === this.#revision) break
        seen = this.#revision
        const next = await this.#readInTurn(request.page, end, readPage)
        if (next === undefined) break
        page = next
        if (hasChanges(page)) break
      }
    } finally {
      this.#leave(request.clientId)
    }
    return { page, waited: true }
  }

  #enter(clientId: string) {
    const ofApp = this.#perApp.get(clientId) ?? 0
    if (ofApp >= this.#limits.perApp) throw tooManyWaiting(this.#limits.perApp)
    if (this.#total >= this.#limits.perProcess) throw unavailable()
    this.#total += 1
    this.#perApp.set(clientId, ofApp + 1)
  }

  #leave(clientId: string) {
    this.#total -= 1
    const ofApp = (this.#perApp.get(clientId) ?? 1) - 1
    if (ofApp > 0) this.#perApp.set(clientId, ofApp)
    else this.#perApp.delete(clientId)
  }

  /** Reads a page after the reads of other woken requests. @returns undefined if the request timed out first */
  async #readInTurn(
    parameters: unknown,
    end: number,
    readPage: () => Promise<Page>,
  ): Promise<Page | undefined> {
    const shared = `${this.#revision} ${JSON.stringify(parameters)}`
    let read = this.#reads.get(shared)
    if (!read) {
      read = this.#lastRead.then(readPage)
      this.#reads.set(shared, read)
      this.#lastRead = read.catch(() => {}).then(() => this.#reads.delete(shared))
    }
    const timeOver = Promise.withResolvers<undefined>()
    const timer = setTimeout(
      () => timeOver.resolve(undefined),
      Math.max(0, end - performance.now()),
    )
    try {
      return await Promise.race([read, timeOver.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}
