const SEED = 'MOKUROKU_TEST_SEED'

/**
 * Chance that can be had again. A test of many turns at once makes one and gives each of those who act a `fork` of
 * its own, so that what they choose does not depend on who comes first; when they come still does.
 */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** At least 0 and less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** A whole number of at least 0 and less than the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of a list that cannot be empty. */
  pick<Item>(items: readonly [Item, ...Item[]] | readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is none to pick')
    return item
  }

  fork(): SeededRandom {
    return new SeededRandom(this.below(2 ** 31))
  }
}

/** The chance of a test: of the seed in `MOKUROKU_TEST_SEED`, else of a new one. Prints which, to repeat a red run with. */
export function startRandom(test: string): SeededRandom {
  const given = process.env[SEED]
  const seed = given === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(given)
  console.log(`${test}: ${SEED}=${seed}`)
  return new SeededRandom(seed)
}
