import { LRUCache } from 'lru-cache'
import { toCachedResponse, type CachedResponse, type QueriedResponse } from './cached-response.ts'

type Load = Promise<CachedResponse | undefined>

/** Of an entry beside its body: key, ETag and bookkeeping, in bytes. */
const OVERHEAD = 400
/** Charged for a byte of an answer: sending it adds longer addresses of pictures and the compressed forms, less than it has. */
const LATER = 2

/**
 * The catalog's answers in memory, bounded in bytes, the least used going first.
 *
 * They are the same for every caller; who may see one is decided on every request.
 */
export class ResponseCache {
  readonly #cached: LRUCache<string, CachedResponse>
  readonly #loading = new Map<string, Load>()

  constructor(maxBytes: number) {
    this.#cached = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ body }) => LATER * body.length + OVERHEAD,
    })
  }

  /** Answers, and their bytes. */
  get size(): { answers: number; bytes: number } {
    return { answers: this.#cached.size, bytes: this.#cached.calculatedSize }
  }

  get(key: string): CachedResponse | undefined {
    return this.#cached.get(key)
  }

  /** Finds an answer that is not cached. Requests for the same one at the same time share one statement. */
  load(key: string, find: () => Promise<QueriedResponse | undefined>): Load {
    return this.#loading.get(key) ?? this.#start(key, find())
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
    const loads = [...ids].map(async ([key, id]) => [id, await this.#loading.get(key)] as const)
    return new Map(await Promise.all(loads))
  }

  #start(key: string, found: Promise<QueriedResponse | undefined>): Load {
    const load: Load = found
      .then((queried) => {
        const response = queried && toCachedResponse(queried)
        // What was read before a change must not outlive it: an invalidation takes this load from the list.
        if (response && this.#loading.get(key) === load) this.#cached.set(key, response)
        return response
      })
      .finally(() => {
        if (this.#loading.get(key) === load) this.#loading.delete(key)
      })
    this.#loading.set(key, load)
    return load
  }

  /**
   * One entry has changed: its answer is dropped, and a load under way still goes to those who wait for it but is not
   * cached, as it may have read what was before.
   *
   * @param key `KIND/ID` of a detail: `galgame/42`; a list has a key of its own
   */
  invalidate(key: string) {
    this.#loading.delete(key)
    this.#cached.delete(key)
  }

  /** The catalog has changed. */
  clear() {
    this.#cached.clear()
    this.#loading.clear()
  }
}
