import { LRUCache } from 'lru-cache'
import type { RateLimitWindow } from '../../wire/errors/rate-limit.ts'
import { spareSlots } from './lease-size.ts'
import type { Grant, SharedCounter, WindowId } from './shared-counter.ts'

/** Fraction of a lease that is left when the next one is requested. */
const REFILL_AT = 1 / 4

/**
 * Time, in milliseconds, for which a full window is assumed to stay full, so that a burst of refused requests costs no
 * messages.
 */
const FULL_MS = 100

/**
 * Time, in milliseconds, without a request for a key after which its unused slots are returned to the other processes.
 */
const IDLE_MS = 1_000

type PendingRequest = { resolve(window: RateLimitWindow): void; reject(error: unknown): void }

/** Share of a window that this process counts locally. */
type Lease = {
  limit: number
  window: WindowId
  /** End of the window on the local clock, never later than its end at the counter. */
  endsAt: number
  /** Time until which requests are refused without contacting the counter. */
  fullUntil: number
  /** Granted slots not used yet. */
  slots: number
  /** With fewer slots left, the next ones are requested in advance. 0 disables requests in advance. */
  refillAt: number
  /** Free slots of the window according to the counter's last grant. */
  free: number
  /** Remaining requests as last reported to a client. Never increases within a window. */
  remaining: number
  requestedAt: number
  /** Requests since `requestedAt`. */
  requests: number
  usedAt: number
  waiting: PendingRequest[]
  isRequesting: boolean
}

const noLease = (limit: number): Lease => ({
  limit,
  window: '',
  endsAt: 0,
  fullUntil: 0,
  slots: 0,
  refillAt: 0,
  free: 0,
  remaining: limit,
  requestedAt: 0,
  requests: 0,
  usedAt: 0,
  waiting: [],
  isRequesting: false,
})

const refusal = ({ limit, endsAt }: Lease, time: number): RateLimitWindow => ({
  limit,
  remaining: 0,
  resetMs: Math.max(0, endsAt - time),
  exceeded: true,
})

/**
 * Counts requests against windows shared by several processes, mostly without contacting the shared counter. Each
 * granted slot serves one request in one process, and only granted slots are used, so all processes together stay
 * within the limit (decision 0008).
 */
export class Leases {
  readonly #counter: SharedCounter
  readonly #now: () => number
  readonly #leases: LRUCache<string, Lease>
  /** Leases that may hold slots. */
  readonly #open = new Map<string, Lease>()

  constructor(
    counter: SharedCounter,
    now: () => number = performance.now.bind(performance),
    maxKeys = 100_000,
  ) {
    this.#counter = counter
    this.#now = now
    this.#leases = new LRUCache({ maxSize: maxKeys, sizeCalculation: () => 1 })
  }

  /**
   * Counts a request. Returns without a promise while the key has slots in this process.
   *
   * @throws the counter's error
   */
  count(key: string, limit: number): RateLimitWindow | Promise<RateLimitWindow> {
    const time = this.#now()
    let lease = this.#leases.get(key)
    if (!lease) this.#leases.set(key, (lease = noLease(limit)))
    if (lease.limit !== limit) this.#changeLimit(key, lease, limit)
    if (lease.slots > 0 && time < lease.endsAt) return this.#use(key, lease, time)
    return time < lease.fullUntil ? refusal(lease, time) : this.#wait(key, lease)
  }

  /**
   * Starts to return the slots of idle keys periodically.
   *
   * @returns a function that stops this and returns all slots still held
   */
  returnIdle(): () => Promise<void> {
    const returning = setInterval(() => void this.returnIdleSlots(IDLE_MS), IDLE_MS).unref()
    return () => {
      clearInterval(returning)
      return this.returnIdleSlots(0)
    }
  }

  /** Returns the slots of keys that have been unused for `ms` milliseconds. */
  async returnIdleSlots(ms: number) {
    const time = this.#now()
    const idle = [...this.#open].filter(([, { usedAt }]) => time - usedAt >= ms)
    await Promise.all(idle.map(([key, lease]) => this.#returnSlots(key, lease)))
  }

  #use(key: string, lease: Lease, time: number): RateLimitWindow {
    lease.slots -= 1
    lease.requests += 1
    lease.usedAt = time
    lease.remaining = Math.min(lease.remaining, lease.free + lease.slots)
    if (lease.slots < lease.refillAt && !lease.isRequesting) void this.#ask(key, lease)
    return {
      limit: lease.limit,
      remaining: lease.remaining,
      resetMs: Math.max(0, lease.endsAt - time),
      exceeded: false,
    }
  }

  #wait(key: string, lease: Lease): Promise<RateLimitWindow> {
    return new Promise((resolve, reject) => {
      lease.waiting.push({ resolve, reject })
      if (!lease.isRequesting) void this.#ask(key, lease)
    })
  }

  /**
   * Requests slots from the counter until no request waits. Requests that arrive during a call are included in the
   * next call.
   */
  async #ask(key: string, lease: Lease) {
    lease.isRequesting = true
    try {
      do await this.#askOnce(key, lease)
      while (lease.waiting.length > 0)
    } catch (error) {
      for (const { reject } of lease.waiting.splice(0)) reject(error)
    } finally {
      lease.isRequesting = false
    }
  }

  async #askOnce(key: string, lease: Lease) {
    const { limit, requests, requestedAt } = lease
    const time = this.#now()
    const needed = lease.waiting.length
    const spare = spareSlots(needed + lease.slots, limit, { requests, ms: time - requestedAt })
    lease.refillAt = 0
    if (needed + spare === 0) return
    const grant = await this.#counter.take(key, { needed, spare, limit })
    this.#accept(key, lease, grant, time)
    // If the window has ended in the meantime, requests that arrived later belong to the next window.
    const servable = this.#now() < lease.endsAt ? lease.slots : Math.min(lease.slots, needed)
    for (const { resolve } of lease.waiting.splice(0, servable))
      resolve(this.#use(key, lease, this.#now()))
    if (lease.limit !== limit) void this.#returnSlots(key, lease)
    if (grant.granted >= needed) return
    lease.remaining = 0
    lease.fullUntil = Math.min(lease.endsAt, this.#now() + FULL_MS)
    for (const { resolve } of lease.waiting.splice(0))
      resolve({ ...refusal(lease, this.#now()), limit })
  }

  #accept(key: string, lease: Lease, grant: Grant, requestedAt: number) {
    if (grant.window !== lease.window) {
      lease.window = grant.window
      // This is never too late, because the counter measured `remainingMs` after `requestedAt`.
      lease.endsAt = requestedAt + grant.remainingMs
      lease.slots = 0
      lease.remaining = lease.limit
    }
    lease.slots += grant.granted
    lease.refillAt = Math.floor(lease.slots * REFILL_AT)
    lease.free = grant.free
    lease.requestedAt = requestedAt
    lease.requests = 0
    this.#open.set(key, lease)
  }

  /** Returns the held slots, which may exceed the new limit. */
  #changeLimit(key: string, lease: Lease, limit: number) {
    void this.#returnSlots(key, lease)
    lease.limit = limit
    lease.remaining = limit
    lease.fullUntil = 0
  }

  /** Stops using the slots at once. A failure of the counter is ignored, since the window ends soon. */
  async #returnSlots(key: string, lease: Lease) {
    this.#open.delete(key)
    const { slots, window } = lease
    lease.slots = 0
    if (slots > 0) await this.#counter.returnSlots(key, slots, window).catch(() => undefined)
  }
}
