import { LRUCache } from 'lru-cache'
import { etagOf } from '../http/wire/etag.ts'

/** One answer of the catalog as it is kept: everything about it that is the same for every request. */
export type CachedResponse = {
  /** The envelope up to the end of `data`: UTF-8, a byte a character (`latin1`). */
  body: string
  etag: string
  /** The work may be shown only to a caller with `catalog:full`. */
  nsfw: boolean
  /** Of a list: the length of the whole. */
  total: number | undefined
}

/** What a statement found; `data` is JSON in wire shape. */
export type QueriedResponse = { nsfw: boolean; data: string; total?: number }

/** Of an entry beside its body: key, ETag and bookkeeping, in bytes. */
const OVERHEAD = 400

/**
 * Answers kept ready in memory, bounded in bytes, the least used going first.
 *
 * They are the same for every caller; who may see one is asked on every request.
 */
export class ResponseCache {
  readonly #kept: LRUCache<string, CachedResponse>
  readonly #loading = new Map<string, Promise<CachedResponse | undefined>>()

  constructor(maxBytes: number) {
    this.#kept = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ body }) => body.length + OVERHEAD,
    })
  }

  get(key: string): CachedResponse | undefined {
    return this.#kept.get(key)
  }

  /** Finds an answer that is not kept. Requests that ask for the same one at the same time share one statement. */
  load(
    key: string,
    start: string,
    find: () => Promise<QueriedResponse | undefined>,
  ): Promise<CachedResponse | undefined> {
    const underWay = this.#loading.get(key)
    if (underWay) return underWay
    const loading: Promise<CachedResponse | undefined> = find()
      .then((found) => {
        const answer = found && toCachedResponse(found, start)
        // What was read before a change must not outlive it: whoever forgets it takes this load from the list.
        if (answer && this.#loading.get(key) === loading) this.#kept.set(key, answer)
        return answer
      })
      .finally(() => {
        if (this.#loading.get(key) === loading) this.#loading.delete(key)
      })
    this.#loading.set(key, loading)
    return loading
  }

  /**
   * One entry has changed: what is kept of it is dropped, and a load under way is told to those who wait for it but not
   * kept, as it may have read what was before.
   *
   * @param key `KIND/ID` of a detail: `galgame/42`; a list has a key of its own
   */
  invalidate(key: string) {
    this.#loading.delete(key)
    this.#kept.delete(key)
  }

  /** The catalog has changed. */
  clear() {
    this.#kept.clear()
    this.#loading.clear()
  }
}

/** @param start the envelope before `data` */
export function toCachedResponse({ nsfw, data, total }: QueriedResponse, start: string): CachedResponse {
  return { body: Buffer.from(start + data).toString('latin1'), etag: etagOf(data), nsfw, total }
}
