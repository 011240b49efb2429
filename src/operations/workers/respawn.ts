/** A worker that has listened for so long was not broken from the beginning. In milliseconds. */
const STEADY_MS = 10_000
/** So many early ends in a row are borne. */
const MAX_EARLY = 5

/**
 * When to replace a worker that has ended: at once, unless it is one of a row that ended soon after their start; then after
 * 1, 2, 4 and 8 seconds, and after that no more.
 *
 * @returns a function of how long the worker listened, whose result is the milliseconds to wait; undefined: give up
 */
export function respawnDelays(): (listenedMs: number) => number | undefined {
  let early = 0
  return (listenedMs) => {
    early = listenedMs < STEADY_MS ? early + 1 : 0
    if (early > MAX_EARLY) return undefined
    return early <= 1 ? 0 : 1_000 * 2 ** (early - 2)
  }
}
