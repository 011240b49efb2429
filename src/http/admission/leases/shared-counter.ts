import { LRUCache } from 'lru-cache'
import { WINDOW_MS } from '../../wire/errors/rate-limit.ts'

/** Identifies one of a key's successive windows. */
export type WindowId = string | number

/**
 * Slots to take: `needed` slots for waiting requests, and `spare` slots, which are granted only while many are free.
 */
export type Slots = { needed: number; spare: number; limit: number }

/** Slots of a window granted by a shared counter. */
export type Grant = {
  /** Less than `needed` if the window is full. */
  granted: number
  /** Slots of the window left after this grant. */
  free: number
  /** Milliseconds until the window ends. */
  remainingMs: number
  window: WindowId
}

/** Counter shared by several processes. */
export type SharedCounter = {
  take(key: string, slots: Slots): Promise<Grant>
  /** Does nothing if that window has ended. */
  returnSlots(key: string, slots: number, window: WindowId): Promise<void>
}

type Window = { id: number; used: number; endsAt: number }

/**
 * Windows in the memory of this process, with the same rules as in Redis (`redis-windows.ts`). With more than
 * `maxKeys` keys, the least recently used one is evicted.
 */
export class Windows {
  readonly #windows: LRUCache<string, Window>
  readonly #now: () => number
  #lastId = 0

  constructor(maxKeys = 100_000, now: () => number = performance.now.bind(performance)) {
    // `maxSize` grows on demand, while `max` would allocate memory for all keys at once.
    this.#windows = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 })
    this.#now = now
  }

  take(key: string, { needed, spare, limit }: Slots): Grant {
    const time = this.#now()
    let window = this.#windows.get(key)
    if (!window || window.endsAt <= time) {
      window = { id: (this.#lastId += 1), used: 0, endsAt: time + WINDOW_MS }
      this.#windows.set(key, window)
    }
    const free = Math.max(0, limit - window.used)
    const must = Math.min(free, needed)
    const granted = must + Math.min(spare, Math.floor((free - must) / 8))
    window.used += granted
    // Floating-point addition may exceed the minute slightly.
    const remainingMs = Math.min(WINDOW_MS, window.endsAt - time)
    return { granted, free: free - granted, remainingMs, window: window.id }
  }

  returnSlots(key: string, slots: number, window: WindowId) {
    const known = this.#windows.peek(key)
    if (known?.id === window) known.used -= slots
  }
}
