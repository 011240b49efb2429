/** Uptime, in milliseconds, after which an exit no longer counts as early. */
const STABLE_MS = 10_000
/** Maximum number of consecutive early exits before giving up. */
const MAX_EARLY_EXITS = 5

/**
 * Decides when to replace a worker that has exited. The replacement starts at once after a stable run or a first early
 * exit. Further early exits in a row delay it by 1, 2, 4 and 8 seconds.
 *
 * @returns a function from the uptime to the delay, both in milliseconds, which returns `undefined` to give up
 */
export function respawnDelays(): (listenedMs: number) => number | undefined {
  let early = 0
  return (listenedMs) => {
    early = listenedMs < STABLE_MS ? early + 1 : 0
    if (early > MAX_EARLY_EXITS) return undefined
    return early <= 1 ? 0 : 1_000 * 2 ** (early - 2)
  }
}
