import { PicturesBusyError } from './picture-errors.ts'

/** Does a few jobs at once, and lets a few wait. */
export class JobQueue {
  readonly #atOnce: number
  readonly #maxWaiting: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce
    this.#maxWaiting = maxWaiting
  }

  /** @throws {PicturesBusyError} at once when too many wait already */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#atOnce) {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new PicturesBusyError('Too many pictures are waited for')
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
