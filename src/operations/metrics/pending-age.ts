/**
 * Maximum number of remembered timestamps. Beyond it, the second-oldest is dropped: the oldest and the newest are
 * needed.
 */
const MAX_TIMES = 100

/**
 * Creates a function that returns the minimum age, in seconds, of the oldest waiting row. The rows have no timestamps,
 * but their ids only increase. A row whose id does not exceed the last id seen by an earlier call therefore already
 * existed at the time of that call.
 */
export function pendingAge() {
  let known: { last: number; at: number }[] = []
  return (first: number | null, last: number | null, now = performance.now()): number => {
    if (first === null || last === null || first > last) {
      known = []
      return 0
    }
    known = known.filter((time) => time.last >= first)
    if ((known.at(-1)?.last ?? -1) < last) known.push({ last, at: now })
    if (known.length > MAX_TIMES) known.splice(1, 1)
    return (now - (known[0]?.at ?? now)) / 1_000
  }
}
