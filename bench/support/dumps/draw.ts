import { SeededRandom } from '#test/seeded-random.ts'
import { nameMaker } from '../make-names.ts'

const WORDS =
  'a school by the sea where nobody asks what the bell is for until one summer she comes back'.split(
    ' ',
  )

/** Draws pseudo-random values for generated dumps. Equal seeds give equal values. */
export class Draw extends SeededRandom {
  readonly name: ReturnType<typeof nameMaker>

  constructor(seed: number) {
    super(seed)
    this.name = nameMaker(seed)
  }

  /** Returns a random integer with this mean: for 2.3, either 2 or 3. */
  about(mean: number): number {
    return Math.floor(mean + this.next())
  }

  /** Returns a random `YYYYMMDD` in this century. */
  day(): number {
    return (2000 + this.below(26)) * 10_000 + (1 + this.below(12)) * 100 + 1 + this.below(28)
  }

  words(count: number): string {
    return Array.from({ length: count }, () => this.pick(WORDS)).join(' ')
  }
}
