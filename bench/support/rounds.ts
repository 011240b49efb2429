import { watchMachine, type Busy } from './busy.ts'
import type { Turns } from '../compare/turns.ts'

/** Speed of one side in one round of a comparison. */
export type Speed = {
  perSecond: number
  /** Processor time of the server per request, in microseconds. */
  cpu?: number | undefined
  /** Processor time of PostgreSQL per request, if the floor is a statement. */
  database?: number | undefined
}

export type Round = {
  /** Undefined in a comparison of commits, where the other commit takes its place. */
  floor: Speed | undefined
  subject: Speed
}

export type Comparison = { rounds: Round[]; busy: Busy | undefined }

/** Number of rounds, and the turns that this side takes with the other commit. */
type RoundOptions = { rounds: number; turns?: Turns | undefined }

/**
 * Measures floor and subject alternately, so that other load affects both. A comparison of commits has no floor: each
 * side runs its round and hands over.
 */
export async function compare(
  { rounds: count, turns }: RoundOptions,
  floor: () => Promise<Speed>,
  subject: () => Promise<Speed>,
): Promise<Comparison> {
  const measure = async (): Promise<Round> => {
    const round = { floor: turns ? undefined : await floor(), subject: await subject() }
    await turns?.pass()
    return round
  }
  // The first seconds warm up the compiler, connections and caches.
  await measure()
  const endWatch = watchMachine()
  const rounds: Round[] = []
  for (let round = 0; round < count; round += 1) rounds.push(await measure())
  return { rounds, busy: endWatch() }
}

/** Returns the median. For an even number of values, this is the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (
    ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  )
}
