import { numberVariable } from './number-variables.ts'

const SEED = 'MOKUROKU_TEST_SEED'

/**
 * Reproducible random numbers. A test with concurrent actors gives each of them a `fork`, so that their choices do not
 * depend on scheduling. The order in which they act still does.
 */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** Returns a number of at least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns an integer of at least 0 and less than the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** Returns an element of a non-empty list. */
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is none to pick')
    return item
  }

  fork(): SeededRandom {
    return new SeededRandom(this.below(2 ** 31))
  }
}

/**
 * Creates the random numbers of a test, from the seed in `MOKUROKU_TEST_SEED` or a new one. Prints the seed, so that a
 * failed run can be repeated.
 */
export function seedRandom(test: string): SeededRandom {
  const seed = numberVariable(SEED) ?? 1 + Math.floor(Math.random() * 2 ** 31)
  console.log(`${test}: ${SEED}=${seed}`)
  return new SeededRandom(seed)
}
