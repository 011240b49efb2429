import { LRUCache } from 'lru-cache'
import { WINDOW_MS } from '../../wire/errors/rate-limit.ts'

/** Identifies one of the successive windows of a key. */
export type WindowId = string | number

/** Slots to take: those that waiting requests need, and spare ones, which are granted only while many are free. */
export type Slots = { needed: number; spare: number; limit: number }

/** Slots of a window granted by a shared counter. */
export type Grant = {
  /** Fewer than were needed: the window is full. */
  granted: number
  /** What is left of the window after this. */
  free: number
  /** To the end of the window. */
  leftMs: number
  window: WindowId
}

/** Counts for several processes. */
export type SharedCounter = {
  take(key: string, slots: Slots): Promise<Grant>
  /** Does nothing when that window is over. */
  giveBack(key: string, slots: number, window: WindowId): Promise<void>
}

type Window = { id: number; used: number; endsAt: number }

/**
 * Windows in the memory of this process, with the same rules as those in Redis (`redis-windows.ts`). Beyond `maxKeys`
 * keys, the least recently used one is evicted.
 */
export class Windows {
  readonly #windows: LRUCache<string, Window>
  readonly #now: () => number
  #lastId = 0

  constructor(maxKeys = 100_000, now: () => number = performance.now.bind(performance)) {
    // Bounded by size, which grows as needed: `max` would take the room for all keys at once.
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
    // The sum of two fractions may be a hair above the minute it is.
    const leftMs = Math.min(WINDOW_MS, window.endsAt - time)
    return { granted, free: free - granted, leftMs, window: window.id }
  }

  giveBack(key: string, slots: number, window: WindowId) {
    const known = this.#windows.peek(key)
    if (known?.id === window) known.used -= slots
  }
}
