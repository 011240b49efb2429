import { LRUCache } from 'lru-cache'
import type { RateLimitWindow } from '../../wire/errors/rate-limit.ts'
import { spareSlots } from './lease-size.ts'
import type { Grant, SharedCounter, WindowId } from './shared-counter.ts'

/** Of a lease: what is left of it when the next one is asked for. */
const REFILL_AT = 1 / 4

/**
 * Time, in milliseconds, for which a full window is assumed to stay full. A burst of refused requests then costs no
 * messages.
 */
const FULL_MS = 100

/**
 * Time, in milliseconds, without a request for a key after which its unused slots are returned to the other processes.
 */
const IDLE_MS = 1_000

type Waiting = { resolve(window: RateLimitWindow): void; reject(error: unknown): void }

/** A share of a window that is counted in this process. */
type Lease = {
  limit: number
  window: WindowId | undefined
  /** Of the window, as seen here: never later than it is over where it is counted. */
  endsAt: number
  /** Time until which requests are refused without asking the counter. */
  fullUntil: number
  /** Granted and not used yet. */
  slots: number
  /** From so few slots on the next ones are asked for, so that nobody waits for them; 0: they are not. */
  refillAt: number
  /** Of the window, when it was last asked about. */
  free: number
  /** As the last answer said it; within a window it does not grow. */
  remaining: number
  askedAt: number
  /** Since then. */
  requests: number
  usedAt: number
  waiting: Waiting[]
  isAsking: boolean
}

const noLease = (limit: number): Lease => ({
  limit,
  window: undefined,
  endsAt: 0,
  fullUntil: 0,
  slots: 0,
  refillAt: 0,
  free: 0,
  remaining: limit,
  askedAt: 0,
  requests: 0,
  usedAt: 0,
  waiting: [],
  isAsking: false,
})

const refusal = ({ limit, endsAt }: Lease, time: number): RateLimitWindow => ({
  limit,
  remaining: 0,
  resetMs: Math.max(0, endsAt - time),
  exceeded: true,
})

/**
 * Counts requests against windows that several processes share, most of them without asking: a slot is used by one
 * request of one process, and none is used that was not granted, so that all together stay within the limit (decision 0008).
 */
export class Leases {
  readonly #counter: SharedCounter
  readonly #now: () => number
  readonly #leases: LRUCache<string, Lease>
  /** Those with slots. */
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
   * Counts a request; at once while the key has slots here.
   *
   * @throws what the counter fails with
   */
  count(key: string, limit: number): RateLimitWindow | Promise<RateLimitWindow> {
    const time = this.#now()
    let lease = this.#leases.get(key)
    if (!lease) this.#leases.set(key, (lease = noLease(limit)))
    if (lease.limit !== limit) this.#changeLimit(key, lease, limit)
    if (lease.slots > 0 && time < lease.endsAt && lease.waiting.length === 0)
      return this.#use(key, lease, time)
    return time < lease.fullUntil ? refusal(lease, time) : this.#wait(key, lease)
  }

  /** Starts to return the slots of idle keys. @returns a function that stops this and returns all slots still held */
  returnIdle(): () => Promise<void> {
    const returning = setInterval(() => void this.giveBackIdle(IDLE_MS), IDLE_MS).unref()
    return () => {
      clearInterval(returning)
      return this.giveBackIdle(0)
    }
  }

  /** Gives back what is held of keys that have not been used for that long. */
  async giveBackIdle(ms: number) {
    const time = this.#now()
    const idle = [...this.#open].filter(([, { usedAt }]) => time - usedAt >= ms)
    await Promise.all(idle.map(([key, lease]) => this.#giveBack(key, lease)))
  }

  #use(key: string, lease: Lease, time: number): RateLimitWindow {
    lease.slots -= 1
    if (lease.slots === 0) this.#open.delete(key)
    lease.requests += 1
    lease.usedAt = time
    lease.remaining = Math.min(lease.remaining, lease.free + lease.slots)
    if (lease.slots > 0 && lease.slots <= lease.refillAt && !lease.isAsking)
      void this.#ask(key, lease)
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
      if (!lease.isAsking) void this.#ask(key, lease)
    })
  }

  /** Until nobody waits: requests that come while the counter is asked are the next ones it is asked for. */
  async #ask(key: string, lease: Lease) {
    lease.isAsking = true
    try {
      do await this.#askOnce(key, lease)
      while (lease.waiting.length > 0)
    } catch (error) {
      for (const { reject } of lease.waiting.splice(0)) reject(error)
    } finally {
      lease.isAsking = false
    }
  }

  async #askOnce(key: string, lease: Lease) {
    const { limit, requests, askedAt } = lease
    const time = this.#now()
    const needed = lease.waiting.length
    // What is granted at a window's very end could not be used any more.
    const spare =
      time < lease.endsAt
        ? spareSlots(needed + lease.slots, limit, { requests, ms: time - askedAt })
        : 0
    lease.refillAt = 0
    if (needed + spare === 0) return
    const grant = await this.#counter.take(key, { needed, spare, limit })
    this.#accept(key, lease, grant, { needed, askedAt: time })
    // Those who came meanwhile are of the next window if this one is over.
    const servable = this.#now() < lease.endsAt ? lease.slots : Math.min(lease.slots, needed)
    for (const { resolve } of lease.waiting.splice(0, servable))
      resolve(this.#use(key, lease, this.#now()))
    if (lease.limit !== limit) void this.#giveBack(key, lease)
    if (grant.granted >= needed) return
    lease.remaining = 0
    lease.fullUntil = Math.min(lease.endsAt, this.#now() + FULL_MS)
    for (const { resolve } of lease.waiting.splice(0))
      resolve({ ...refusal(lease, this.#now()), limit })
  }

  #accept(
    key: string,
    lease: Lease,
    grant: Grant,
    { needed, askedAt }: { needed: number; askedAt: number },
  ) {
    if (grant.window !== lease.window) {
      lease.window = grant.window
      // Its milliseconds were counted after the question and before the answer.
      lease.endsAt = askedAt + grant.leftMs
      lease.slots = 0
      lease.remaining = lease.limit
    }
    lease.slots += grant.granted
    // Where nothing was spare, nothing will be: the key is used seldom by now, or the window is nearly full.
    lease.refillAt = grant.granted > needed ? Math.floor(lease.slots * REFILL_AT) : 0
    lease.free = grant.free
    lease.askedAt = askedAt
    lease.requests = 0
    if (lease.slots > 0) this.#open.set(key, lease)
  }

  /** What was granted of the old one might be beyond the new one. */
  #changeLimit(key: string, lease: Lease, limit: number) {
    void this.#giveBack(key, lease)
    lease.limit = limit
    lease.remaining = limit
    lease.fullUntil = 0
  }

  /** At once of no use here; whether the counter hears of it does not matter much, since the window ends. */
  async #giveBack(key: string, lease: Lease) {
    this.#open.delete(key)
    const { slots, window } = lease
    lease.slots = 0
    if (slots > 0 && window !== undefined && this.#now() < lease.endsAt)
      await this.#counter.giveBack(key, slots, window).catch(() => undefined)
  }
}
