/** Does a few jobs at once, and lets a few wait. */
export class JobQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #tooMany: () => Error
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param tooMany what `run` throws when too many wait already */
  constructor(atOnce: number, maxWaiting: number, tooMany: () => Error) {
    this.#atOnce = atOnce
    this.#maxWaiting = maxWaiting
    this.#tooMany = tooMany
  }

  /** @throws {Error} at once when too many wait already */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting) throw this.#tooMany()
      await new Promise<void>((begin) => this.#waiting.push(begin))
    } else this.#running += 1
    try {
      return await job()
    } finally {
      const next = this.#waiting.shift()
      // The place goes to who waits, and is never free in between.
      if (next) next()
      else this.#running -= 1
    }
  }
}
