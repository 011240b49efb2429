/** Interval, in milliseconds, at which the limit is adapted. */
export const TICK_MS = 50

/** Delay of the event loop, and wait for a database connection, in milliseconds, above which the process is late. */
const MAX_LAG_MS = 100
const MAX_QUEUE_MS = 200

/** Number of late ticks in a row after which the limit decreases. A single one may be a garbage collection. */
const LATE_TICKS = 2
const DECREASE = 0.8
/**
 * Lowest limit relative to `min` while only the event loop is late. Other programs, or the refusals themselves, may be
 * the reason, and a lower limit would then only serve fewer requests.
 */
const LAGGING_MIN = 4
/** Growth of the limit per tick while requests are refused, and while none are. */
const PROBE = 1.05
const RECOVER = 1.25
/** A limit this high is no limit. */
const UNLIMITED = 10_000

/** Time, in ticks, for which a request counts. A slow upload or an export would count for much longer than it works. */
const BUCKET_TICKS = 20
const BUCKETS = 5

/** Requests that began in the same second. */
type Bucket = { open: number; counts: boolean }

/** Delays of a process during a tick, in milliseconds. */
export type Delays = { lagMs: number; queueMs: number }

/**
 * Limits the requests in work. There is no limit until the process is late. The limit then decreases by a fifth of the
 * requests in work per tick, and grows again while the process is on time: slowly while requests are refused, and
 * quickly otherwise. The limit is never below `min`, so some requests always find out whether the process has recovered.
 */
export class Limiter {
  readonly #min: number
  #limit = Infinity
  #inWork = 0
  #peak = 0
  #refused = 0
  #lateTicks = 0
  #isLagging = false
  #current: Bucket = { open: 0, counts: true }
  #buckets = [this.#current]
  #ticks = 0

  /** @param min lowest limit; enough requests to keep the database busy */
  constructor(min: number) {
    this.#min = min
  }

  /** Highest number of requests in work. */
  get limit() {
    return this.#limit
  }

  /** Whether the event loop is late, and not only the database. */
  get isLagging() {
    return this.#isLagging
  }

  admits() {
    return this.#inWork < this.#limit
  }

  /** Counts a request that is admitted. @returns the argument of `end` */
  begin(): Bucket {
    const bucket = this.#current
    bucket.open += 1
    this.#inWork += 1
    if (this.#inWork > this.#peak) this.#peak = this.#inWork
    return bucket
  }

  end(bucket: Bucket) {
    bucket.open -= 1
    if (bucket.counts) this.#inWork -= 1
  }

  refuse() {
    this.#refused += 1
  }

  /** Adapts the limit. */
  tick({ lagMs, queueMs }: Delays) {
    this.#isLagging = lagMs > MAX_LAG_MS
    const isQueueing = queueMs > MAX_QUEUE_MS
    const isLate = this.#isLagging || isQueueing
    this.#lateTicks = isLate ? this.#lateTicks + 1 : 0
    if (this.#lateTicks >= LATE_TICKS) {
      const min = isQueueing ? this.#min : this.#min * LAGGING_MIN
      this.#limit = Math.min(
        this.#limit,
        Math.max(min, Math.min(this.#limit, this.#peak) * DECREASE),
      )
    } else if (!isLate && this.#limit < Infinity) this.#grow()
    this.#refused = 0
    this.#peak = this.#inWork
    this.#ticks += 1
    if (this.#ticks % BUCKET_TICKS === 0) this.#rotate()
  }

  #grow() {
    const grown = this.#limit * (this.#refused > 0 ? PROBE : RECOVER) + 1
    this.#limit = grown > UNLIMITED ? Infinity : grown
  }

  /** Stops to count the requests that began the longest ago. */
  #rotate() {
    this.#current = { open: 0, counts: true }
    this.#buckets.push(this.#current)
    if (this.#buckets.length <= BUCKETS) return
    const [oldest] = this.#buckets.splice(0, 1)
    if (!oldest) return
    oldest.counts = false
    this.#inWork -= oldest.open
  }
}
