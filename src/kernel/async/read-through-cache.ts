import { LRUCache } from 'lru-cache'

/**
 * Caches values that are read on demand. A value whose read started before `clear` is returned but not cached, because
 * it may be stale.
 */
export class ReadThroughCache<Value extends object | string | boolean> {
  readonly #values: LRUCache<string, Value>
  #generation = 0

  constructor(limits: { max: number; ttl: number }) {
    this.#values = new LRUCache(limits)
  }

  async get(key: string, read: () => Promise<Value>): Promise<Value> {
    const known = this.#values.get(key)
    if (known !== undefined) return known
    const generation = this.#generation
    const value = await read()
    if (generation === this.#generation) this.#values.set(key, value)
    return value
  }

  clear() {
    this.#generation += 1
    this.#values.clear()
  }
}
