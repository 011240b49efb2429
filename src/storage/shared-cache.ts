import type { ObjectStore } from './object-store.ts'

/** Time, in milliseconds, for which a store is skipped after a failure. */
const PAUSE_MS = 60_000

export type SharedCacheOptions = {
  /** Prefix of all object names. */
  folder: string
  /** Whether an object has valid content. Invalid objects count as missing. */
  isValid: (bytes: Buffer) => boolean
  /** Called for the first failure before each pause. */
  onFailure: (error: unknown) => void
  pauseMs?: number
}

/**
 * Cache that several machines share. After a failure, the store is skipped for a while, and all objects count as
 * missing.
 */
export class SharedCache {
  readonly #store: ObjectStore
  readonly #options: Required<SharedCacheOptions>
  #pausedUntil = -Infinity

  constructor(store: ObjectStore, options: SharedCacheOptions) {
    this.#store = store
    this.#options = { pauseMs: PAUSE_MS, ...options }
  }

  async read(name: string): Promise<Buffer | undefined> {
    const { folder, isValid } = this.#options
    const bytes = await this.#try(() => this.#store.read(folder + name))
    return bytes && isValid(bytes) ? bytes : undefined
  }

  async write(name: string, bytes: Buffer): Promise<void> {
    await this.#try(() => this.#store.write(this.#options.folder + name, bytes))
  }

  async remove(name: string): Promise<void> {
    await this.#try(() => this.#store.delete(this.#options.folder + name))
  }

  async #try<Result>(use: () => Promise<Result>): Promise<Result | undefined> {
    if (performance.now() < this.#pausedUntil) return undefined
    try {
      return await use()
    } catch (error) {
      if (performance.now() >= this.#pausedUntil) this.#options.onFailure(error)
      this.#pausedUntil = performance.now() + this.#options.pauseMs
      return undefined
    }
  }
}
