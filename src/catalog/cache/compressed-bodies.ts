import { LRUCache } from 'lru-cache'
import type { ContentEncoding } from '../../http/wire/content-encoding.ts'
import { openCompressed, type OpenBody } from '../../http/wire/open-compression.ts'
import { BODY_ENCODING } from './cached-response.ts'

/** Bytes charged for an entry in addition to its compressed body, for the key and bookkeeping. */
const OVERHEAD_BYTES = 300

/**
 * Cache of compressed bodies, keyed by ETag and bounded in bytes. An ETag identifies the bytes, so entries never
 * become stale.
 */
export class CompressedBodies {
  readonly #cached: LRUCache<string, OpenBody>
  readonly #compressing = new Map<string, Promise<OpenBody>>()

  constructor(maxBytes: number) {
    this.#cached = new LRUCache({
      maxSize: Math.max(1, maxBytes),
      sizeCalculation: ({ size }) => size + OVERHEAD_BYTES,
    })
  }

  get bytes() {
    return this.#cached.calculatedSize
  }

  /**
   * Returns the compressed form of a body, from the cache if possible. Concurrent requests for the same form share
   * one compression.
   *
   * @param etag ETag of the body in this encoding
   */
  open(etag: string, body: string, encoding: ContentEncoding): OpenBody | Promise<OpenBody> {
    return (
      this.#cached.get(etag) ?? this.#compressing.get(etag) ?? this.#compress(etag, body, encoding)
    )
  }

  #compress(etag: string, body: string, encoding: ContentEncoding) {
    const compressing = openCompressed(Buffer.from(body, BODY_ENCODING), encoding)
      .then((open) => {
        this.#cached.set(etag, open)
        return open
      })
      .finally(() => this.#compressing.delete(etag))
    this.#compressing.set(etag, compressing)
    return compressing
  }
}
