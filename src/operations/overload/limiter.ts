/** Time, in milliseconds, after which a request that waits is refused. */
const MAX_WAIT_MS = 500
/** Maximum number of requests that wait, which limits their memory. Further ones are refused when they arrive. */
const MAX_QUEUED = 8_192
/** Maximum number of requests that are started in a turn of the event loop. */
const MAX_STARTS = 32
/** Maximum number of waiting requests that are refused at once. The next turn refuses more. */
export const MAX_REFUSALS = 128

/** Parts of a limiter that it does not own, and that tests replace. */
export type LimiterOptions<Request> = {
  /** Maximum number of statements that wait for a database connection while further requests are started. */
  maxWaiting: number
  /** Number of statements that wait for a database connection now. */
  waiting: () => number
  /** @param since when the request arrived, if it has waited */
  start: (request: Request, since?: number) => void
  refuse: (request: Request) => void
  /** Whether the client has left. */
  isGone: (request: Request) => boolean
  /** Calls a function once in the next turn of the event loop. */
  nextTurn: (run: () => void) => void
  now?: () => number
}

/**
 * Starts requests as fast as the process can work on them. The others wait in a queue, in order of their arrival.
 * The number started in a turn of the event loop is limited, because the turn would otherwise start everything that has
 * arrived before the first statement finds the pool busy. The limit does not depend on the size of the pool, because
 * requests that start in the same turn share statements.
 */
export class Limiter<Request> {
  readonly #options: LimiterOptions<Request>
  readonly #now: () => number
  readonly #queue: { request: Request; since: number }[] = []
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

  /** Starts or refuses a request, or lets it wait. */
  add(request: Request) {
    const { isGone, refuse } = this.#options
    if (isGone(request)) return
    if (this.#queue.length === 0 && this.#hasRoom()) this.#start(request)
    else if (this.#queue.length >= MAX_QUEUED) refuse(request)
    else this.#queue.push({ request, since: this.#now() })
  }

  /** Looks for room in the next turn. Call it when a statement has got its connection. */
  wake() {
    if (this.#queue.length > 0) this.#requestTurn()
  }

  /** Refuses requests that have waited too long, and starts others while there is room. */
  update() {
    const overdue = this.#now() - MAX_WAIT_MS
    let refused = 0
    while ((this.#queue[0]?.since ?? Infinity) < overdue) {
      if (refused === MAX_REFUSALS) {
        this.#requestTurn()
        break
      }
      if (this.#takeFirst(this.#options.refuse)) refused += 1
    }
    while (this.#queue.length > 0 && this.#hasRoom()) this.#takeFirst(this.#start)
  }

  /** Handles the first request that waits. @returns false if its client has left */
  #takeFirst(handle: (request: Request, since: number) => void): boolean {
    const first = this.#queue.shift()
    if (!first || this.#options.isGone(first.request)) return false
    handle(first.request, first.since)
    return true
  }

  #hasRoom = () =>
    this.#startedThisTurn < MAX_STARTS && this.#options.waiting() < this.#options.maxWaiting

  #start = (request: Request, since?: number) => {
    this.#startedThisTurn += 1
    this.#requestTurn()
    this.#options.start(request, since)
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
