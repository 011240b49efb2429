/**
 * Time, in milliseconds, that a request may wait to be started. The longer time is for bursts: it applies while the
 * queue was empty within the last second.
 */
const MAX_WAIT_MS = 200
const MAX_BURST_WAIT_MS = 500
const BURST_MS = 1_000
/**
 * Times, in milliseconds, after which a turn of the event loop refuses and starts no more requests. A turn accepts only
 * one connection, and lets each database connection run only one statement, so turns must be short.
 */
const REFUSING_MS = 0.5
const TURN_MS = 1

/** Parts of a limiter that it does not own, and that tests replace. */
export type LimiterOptions<Request> = {
  /** Maximum number of statements that wait for a database connection while further requests are started. */
  maxWaiting: number
  /** Number of statements that wait for a database connection now. */
  waiting: () => number
  start: (request: Request) => void
  refuse: (request: Request) => void
  /** Whether the client has left. */
  isGone: (request: Request) => boolean
  /** Calls a function once in the next turn of the event loop. */
  nextTurn: (run: () => void) => void
  now?: () => number
}

/**
 * Starts requests as fast as the process can work on them. The others wait in order of their arrival, and are refused
 * when they have waited too long. A turn of the event loop starts only a few, because it would otherwise start
 * everything that has arrived before the first statement finds the pool busy.
 */
export class Limiter<Request> {
  readonly #options: LimiterOptions<Request>
  readonly #now: () => number
  readonly #queue: { request: Request; since: number }[] = []
  /** Time at which the queue was last seen empty. */
  #emptyAt = -Infinity
  #startedThisTurn = 0
  #isTurnDue = false

  constructor(options: LimiterOptions<Request>) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Number of requests that wait. */
  get length() {
    return this.#queue.length
  }

  /** Starts a request, or lets it wait. */
  add(request: Request) {
    if (this.#options.isGone(request)) return
    if (this.#queue.length === 0) {
      this.#emptyAt = this.#now()
      if (this.#hasRoom()) return this.#start(request)
    }
    this.#queue.push({ request, since: this.#now() })
  }

  /** Looks for room in the next turn. Call it when a statement has got its connection. */
  wake() {
    if (this.#queue.length > 0) this.#requestTurn()
  }

  /** Refuses requests that have waited too long, and starts others while there is room. */
  update() {
    const began = this.#now()
    if (this.#queue.length === 0) this.#emptyAt = began
    const isBurst = began - this.#emptyAt < BURST_MS
    const overdue = began - (isBurst ? MAX_BURST_WAIT_MS : MAX_WAIT_MS)
    const hasOverdue = () => (this.#queue[0]?.since ?? Infinity) < overdue
    while (hasOverdue()) {
      this.#take('oldest', this.#options.refuse)
      if (this.#now() - began > REFUSING_MS) break
    }
    while (this.#queue.length > 0 && this.#hasRoom()) {
      this.#take(isBurst ? 'oldest' : 'newest', this.#start)
      if (this.#now() - began > TURN_MS) break
    }
    if (this.#queue.length > 0 && (this.#hasRoom() || hasOverdue())) this.#requestTurn()
  }

  /** Handles a request that waits, unless its client has left. */
  #take(end: 'oldest' | 'newest', handle: (request: Request) => void) {
    const taken = end === 'oldest' ? this.#queue.shift() : this.#queue.pop()
    if (taken && !this.#options.isGone(taken.request)) handle(taken.request)
  }

  #hasRoom = () => this.#startedThisTurn + this.#options.waiting() < this.#options.maxWaiting

  #start = (request: Request) => {
    this.#startedThisTurn += 1
    this.#requestTurn()
    this.#options.start(request)
  }

  #requestTurn() {
    if (this.#isTurnDue) return
    this.#isTurnDue = true
    this.#options.nextTurn(() => {
      this.#isTurnDue = false
      this.#startedThisTurn = 0
      this.update()
    })
  }
}
