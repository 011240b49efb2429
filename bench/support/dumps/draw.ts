import { nameMaker, randomNumbers } from '../make-names.ts'

/** Draws pseudo-random values for generated dumps. Equal seeds give equal values. */
export type Draw = {
  /** Returns an integer from 0 up to, but not including, `end`. */
  below(end: number): number
  chance(share: number): boolean
  /** Returns a random integer with this mean: for 2.3, either 2 or 3. */
  about(mean: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  name: ReturnType<typeof nameMaker>
  /** A random `YYYYMMDD` in this century. */
  day(): number
  words(count: number): string
}

const WORDS =
  'a school by the sea where nobody asks what the bell is for until one summer she comes back'.split(
    ' ',
  )

export function drawFrom(seed: number): Draw {
  const random = randomNumbers(seed)
  const below = (end: number) => Math.floor(random() * end)
  return {
    below,
    chance: (share) => random() < share,
    about: (mean) => Math.floor(mean + random()),
    pick: ([first, ...others]) => others[below(others.length + 1) - 1] ?? first,
    name: nameMaker(seed),
    day: () => (2000 + below(26)) * 10_000 + (1 + below(12)) * 100 + 1 + below(28),
    words: (count) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' '),
  }
}
