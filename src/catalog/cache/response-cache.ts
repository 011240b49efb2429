import { LRUCache } from 'lru-cache'
import type { ContentEncoding } from '../../http/wire/content-encoding.ts'
import { isUnavailable } from '../../kernel/is-unavailable.ts'
import { CompressedBodies } from './compressed-bodies.ts'
import {
  type CachedResponse,
  type OwningCache,
  type QueriedResponse,
  toCachedResponse,
} from './cached-response.ts'
import { KINDS, type WorkKind } from '../kinds.ts'

type Load = Promise<CachedResponse | undefined>

/** Bytes charged for a response in addition to its body, for the key, the ETag and bookkeeping. */
const OVERHEAD_BYTES = 400
/** Share of memory for compressed bodies. The rest is reserved for uncompressed ones. */
const COMPRESSED_MEMORY_SHARE = 1 / 6

/** Time, in milliseconds, for which a stale response may be served while the database is unavailable. */
const MAX_STALE_MS = 60_000

type Slot = {
  response: CachedResponse
  /** Monotonic time of the invalidation, or undefined if the response is fresh. */
  staleSince: number | undefined
}

/**
 * LRU cache of the catalog's responses, bounded in bytes. Responses are shared by all callers; each request checks
 * whether its caller may see the response. While the database is unavailable, a response that a rating made stale is
 * served for up to a minute (decision 0002).
 */
export class ResponseCache implements OwningCache {
  readonly #cached: LRUCache<string, Slot>
  readonly #compressedBodies: CompressedBodies
  readonly #loading = new Map<string, Load>()
  /**
   * True after a load has failed because the database was unavailable, until the database responds or sends a signal.
   */
  #isDatabaseDown = false
  #hits = 0
  #misses = 0

  constructor(maxBytes: number) {
    const compressedBytes = Math.ceil(maxBytes * COMPRESSED_MEMORY_SHARE)
    this.#cached = new LRUCache({
      maxSize: Math.max(1, maxBytes - compressedBytes),
      sizeCalculation: ({ response }) => response.body.length + OVERHEAD_BYTES,
    })
    this.#compressedBodies = new CompressedBodies(compressedBytes)
  }

  /**
   * Number of responses, the bytes used by them and their compressed forms, and how often a response was found or had
   * to be loaded.
   */
  get size(): { responses: number; bytes: number; hits: number; misses: number } {
    const bytes = this.#cached.calculatedSize + this.#compressedBodies.bytes
    return { responses: this.#cached.size, bytes, hits: this.#hits, misses: this.#misses }
  }

  get(key: string): CachedResponse | undefined {
    const slot = this.#cached.get(key)
    if (slot && slot.staleSince === undefined) {
      this.#hits += 1
      return slot.response
    }
    this.#misses += 1
    return undefined
  }

  /** Whether `get` would return a response. Does not count as a use of the entry. */
  has(key: string): boolean {
    return this.#cached.peek(key)?.staleSince === undefined && this.#cached.has(key)
  }

  /** Loads a response that is not cached. Concurrent requests for the same response share one statement. */
  load(key: string, find: () => Promise<QueriedResponse | undefined>): Load {
    return this.#loadOrStale(key, this.#loading.get(key) ?? this.#startLoad(key, find()))
  }

  /**
   * Loads several responses that are not cached. Those not already being loaded are requested with one call to
   * `findAll`.
   *
   * @param ids ids or other values that identify responses, keyed by cache key
   */
  async loadMany<Id>(
    ids: Map<string, Id>,
    findAll: (ids: Id[]) => Promise<Map<Id, QueriedResponse>>,
  ): Promise<Map<Id, CachedResponse | undefined>> {
    const notLoading = [...ids].filter(([key]) => !this.#loading.has(key))
    if (notLoading.length > 0) {
      const found = findAll(notLoading.map(([, id]) => id))
      for (const [key, id] of notLoading) {
        const response = found.then((responses) => responses.get(id))
        void this.#startLoad(key, response)
      }
    }
    const loads = [...ids].map(async ([key, id]) => {
      const load = this.#loading.get(key)
      return [id, load && (await this.#loadOrStale(key, load))] as const
    })
    return new Map(await Promise.all(loads))
  }

  /** Awaits a load, or falls back to the stale response: immediately if the database is known to be unavailable. */
  async #loadOrStale(key: string, load: Load): Load {
    const known = this.#isDatabaseDown && this.#stale(key)
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
    const isServable =
      slot?.staleSince !== undefined && performance.now() - slot.staleSince < MAX_STALE_MS
    return isServable ? slot.response : undefined
  }

  #startLoad(key: string, found: Promise<QueriedResponse | undefined>): Load {
    const load: Load = found
      .then((queried) => {
        const response = queried && toCachedResponse(queried)
        // Data read before an invalidation must not be cached. Invalidating removes the load from `#loading`.
        if (this.#loading.get(key) === load) {
          this.#isDatabaseDown = false
          if (response) {
            response.owner = { cache: this, key }
            this.#cached.set(key, { response, staleSince: undefined })
          } else this.#cached.delete(key)
        }
        return response
      })
      .catch((error: unknown) => {
        this.#isDatabaseDown ||= isUnavailable(error)
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

  updateSize(key: string, response: CachedResponse) {
    const slot = this.#cached.peek(key)
    // A new object, because `set` does not recalculate the size of the same object.
    if (slot?.response === response) this.#cached.set(key, { ...slot })
  }

  /**
   * Marks an entry's response as stale after its rating changed. A load in progress still serves its waiting
   * requests, but is not cached, because it may have read the old rating.
   *
   * @param key key of a detail: `galgame/42`; lists have other keys
   */
  invalidate(key: string) {
    this.#isDatabaseDown = false
    this.#loading.delete(key)
    const slot = this.#cached.peek(key)
    if (slot) slot.staleSince ??= performance.now()
  }

  /**
   * Removes all responses after a catalog change. None may be served stale, because an entry may have been
   * withdrawn, merged or hidden.
   */
  clear() {
    this.#cached.clear()
    this.#loading.clear()
  }
}

/** Returns the cache key of a work's list, or of one page of it. */
export const listCacheKey = (
  kind: WorkKind,
  id: number,
  name: string,
  query: { chosen: readonly unknown[]; sort: string; offset: number; limit: number | null },
) => {
  const { chosen, sort, offset, limit } = query
  return `${KINDS[kind].path}/${id}/${name}?${chosen.join('&')}&${sort}&${offset}&${limit ?? ''}`
}
