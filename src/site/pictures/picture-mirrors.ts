import { LRUCache } from 'lru-cache'

/**
 * Number of consecutive transient failures after which a mirror is skipped, and duration of the skip, in milliseconds.
 */
const MAX_FAILURES = 4
const SKIPPED_MS = 60_000

/**
 * Finds the mirror of a picture. A mirror that fails repeatedly is skipped for a while, so that pages do not have to
 * wait for it.
 */
export class PictureMirrors {
  readonly #mirrors: ReadonlyMap<string, string>
  readonly #failures = new LRUCache<string, number>({ max: 100, ttl: SKIPPED_MS })

  /** @param mirrors base URLs of mirrors, keyed by the origin of the source */
  constructor(mirrors: ReadonlyMap<string, string>) {
    this.#mirrors = mirrors
  }

  /**
   * Returns the URL of a source's picture on its mirror; undefined if the source has no mirror, or while the mirror is
   * skipped.
   */
  find({ origin, pathname, search }: URL): URL | undefined {
    const base = this.#mirrors.get(origin)
    if (base === undefined || (this.#failures.get(origin) ?? 0) >= MAX_FAILURES) return undefined
    return new URL(base + pathname + search)
  }

  failed({ origin }: URL) {
    this.#failures.set(origin, (this.#failures.get(origin) ?? 0) + 1)
  }

  succeeded({ origin }: URL) {
    this.#failures.delete(origin)
  }
}
