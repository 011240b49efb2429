/** Runs a limited number of jobs at once, and queues a limited number of further jobs. */
export class JobQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #tooMany: () => Error
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** @param tooMany returns the error that `run` throws if the queue is full */
  constructor(atOnce: number, maxWaiting: number, tooMany: () => Error) {
    this.#atOnce = atOnce
    this.#maxWaiting = maxWaiting
    this.#tooMany = tooMany
  }

  /** @throws the error of `tooMany` if the queue is full */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting) throw this.#tooMany()
      await new Promise<void>((begin) => this.#waiting.push(begin))
    } else this.#running += 1
    try {
      return await job()
    } finally {
      const next = this.#waiting.shift()
      // Hand the slot to the next job without freeing it in between.
      if (next) next()
      else this.#running -= 1
    }
  }
}
