import { LRUCache } from 'lru-cache'
import type { ContentEncoding } from '../../http/wire/content-encoding.ts'
import { isUnavailable } from '../../kernel/is-unavailable.ts'
import { CompressedBodies } from './compressed-bodies.ts'
import {
  toCachedResponse,
  type CachedResponse,
  type ResponseHolder,
  type QueriedResponse,
} from './cached-response.ts'

type Load = Promise<CachedResponse | undefined>

/** Of an entry beside its body: key, ETag and bookkeeping, in bytes. */
const OVERHEAD = 400
/** Share of the memory that holds compressed forms. Plain answers have the rest to themselves. */
const COMPRESSED_SHARE = 1 / 6

/** Time, in milliseconds, for which a stale answer may be served while the database is unavailable. */
const MAX_STALE_MS = 60_000

type Slot = {
  response: CachedResponse
  /** When its entry was invalidated, by the monotonic clock; undefined if the answer is fresh. */
  staleSince: number | undefined
}

/**
 * The catalog's answers in memory, bounded in bytes, the least used going first.
 *
 * Answers are the same for every caller; each request checks whether its caller may see one. While the database is unavailable,
 * an answer that a rating made stale is served for another minute (decision 0002).
 */
export class ResponseCache implements ResponseHolder {
  readonly #cached: LRUCache<string, Slot>
  readonly #compressedBodies: CompressedBodies
  readonly #loading = new Map<string, Load>()
  /** True after a load failed because the database was unavailable, until the database responds or sends a signal. */
  #isAway = false

  constructor(maxBytes: number) {
    const compressedBytes = Math.ceil(maxBytes * COMPRESSED_SHARE)
    this.#cached = new LRUCache({
      maxSize: Math.max(1, maxBytes - compressedBytes),
      sizeCalculation: ({ response }) => response.body.length + OVERHEAD,
    })
    this.#compressedBodies = new CompressedBodies(compressedBytes)
  }

  /** Number of answers, and the bytes they and their compressed forms take. */
  get size(): { answers: number; bytes: number } {
    const bytes = this.#cached.calculatedSize + this.#compressedBodies.bytes
    return { answers: this.#cached.size, bytes }
  }

  get(key: string): CachedResponse | undefined {
    const slot = this.#cached.get(key)
    return slot && slot.staleSince === undefined ? slot.response : undefined
  }

  /** Finds an answer that is not cached. Requests for the same one at the same time share one statement. */
  load(key: string, find: () => Promise<QueriedResponse | undefined>): Load {
    return this.#orStale(key, this.#loading.get(key) ?? this.#start(key, find()))
  }

  /**
   * Finds several answers that are not cached: those that no load under way will bring with one call of `findAll`.
   *
   * @param ids of the answers, by their keys
   */
  async loadMany(
    ids: Map<string, number>,
    findAll: (ids: number[]) => Promise<Map<number, QueriedResponse>>,
  ): Promise<Map<number, CachedResponse | undefined>> {
    const unasked = [...ids].filter(([key]) => !this.#loading.has(key))
    if (unasked.length > 0) {
      const found = findAll(unasked.map(([, id]) => id))
      for (const [key, id] of unasked) {
        const one = found.then((responses) => responses.get(id))
        void this.#start(key, one)
      }
    }
    const loads = [...ids].map(async ([key, id]) => {
      const load = this.#loading.get(key)
      return [id, load && (await this.#orStale(key, load))] as const
    })
    return new Map(await Promise.all(loads))
  }

  /** Awaits a load, or falls back to the stale response: immediately if the database is known to be unavailable. */
  async #orStale(key: string, load: Load): Load {
    const known = this.#isAway && this.#stale(key)
    if (known) {
      load.catch(() => {})
      return known
    }
    try {
      return await load
    } catch (error) {
      // Read after the failure: an entry cleared during the load must not be served.
      const stale = isUnavailable(error) ? this.#stale(key) : undefined
      if (!stale) throw error
      return stale
    }
  }

  #stale(key: string): CachedResponse | undefined {
    const slot = this.#cached.peek(key)
    const isYoung =
      slot?.staleSince !== undefined && performance.now() - slot.staleSince < MAX_STALE_MS
    return isYoung ? slot.response : undefined
  }

  #start(key: string, found: Promise<QueriedResponse | undefined>): Load {
    const load: Load = found
      .then((queried) => {
        const response = queried && toCachedResponse(queried)
        // What was read before a change must not outlive it: an invalidation takes this load from the list.
        if (this.#loading.get(key) === load) {
          this.#isAway = false
          if (response) {
            response.held = { by: this, key }
            this.#cached.set(key, { response, staleSince: undefined })
          } else this.#cached.delete(key)
        }
        return response
      })
      .catch((error: unknown) => {
        this.#isAway ||= isUnavailable(error)
        throw error
      })
      .finally(() => {
        if (this.#loading.get(key) === load) this.#loading.delete(key)
      })
    this.#loading.set(key, load)
    return load
  }

  openCompressed({ body }: CachedResponse, etag: string, encoding: ContentEncoding) {
    return this.#compressedBodies.open(etag, body, encoding)
  }

  recharge(key: string, response: CachedResponse) {
    const slot = this.#cached.peek(key)
    // A new object, because `set` keeps the size of one it already has.
    if (slot?.response === response) this.#cached.set(key, { ...slot })
  }

  /**
   * Marks an entry's response stale after its rating changed. A load in progress still answers its waiting requests, but is
   * not cached, because it may have read the old rating.
   *
   * @param key `KIND/ID` of a detail: `galgame/42`; a list has a key of its own
   */
  invalidate(key: string) {
    this.#isAway = false
    this.#loading.delete(key)
    const slot = this.#cached.peek(key)
    if (slot) slot.staleSince ??= performance.now()
  }

  /** Drops every response after a catalog change. None may be served stale: an entry may be withdrawn, merged or hidden. */
  clear() {
    this.#cached.clear()
    this.#loading.clear()
  }
}
