/** Speed of one side of a comparison in one round. */
export type Speed = {
  perSecond: number
  /** Processor time of the server for one request, in microseconds. */
  cpu?: number
}

export type Comparison = { subject: Speed; floor: Speed; ratio: number }

/**
 * Measures floor and subject by turns, so that what else the machine does falls on both.
 *
 * @returns medians; `ratio` is the median of the rounds' ratios, not the ratio of the medians
 */
export async function compare(
  rounds: number,
  floor: () => Promise<Speed>,
  subject: () => Promise<Speed>,
): Promise<Comparison> {
  // The first seconds go to the compiler, to connections and to caches.
  await floor()
  await subject()
  const pairs: { floor: Speed; subject: Speed }[] = []
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ floor: await floor(), subject: await subject() })
  return {
    floor: medianSpeed(pairs.map((pair) => pair.floor)),
    subject: medianSpeed(pairs.map((pair) => pair.subject)),
    ratio: median(pairs.map((pair) => pair.subject.perSecond / pair.floor.perSecond)),
  }
}

function medianSpeed(speeds: Speed[]): Speed {
  const cpu = speeds.flatMap(({ cpu }) => cpu ?? [])
  return {
    perSecond: median(speeds.map(({ perSecond }) => perSecond)),
    ...(cpu.length > 0 && { cpu: median(cpu) }),
  }
}

/** The middle one; of an even number the higher of the two. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
