import { watchMachine, type Busy } from './busy.ts'
import type { Turns } from '../compare/turns.ts'

/** Speed of one side of a comparison in one round. */
export type Speed = {
  perSecond: number
  /** Processor time of the server for one request, in microseconds. */
  cpu?: number | undefined
  /** The same of PostgreSQL, where the floor is a statement of its. */
  database?: number | undefined
}

export type Round = {
  /** Undefined beside another commit, which stands in its place. */
  floor: Speed | undefined
  subject: Speed
}

export type Comparison = { rounds: Round[]; busy: Busy | undefined }

/** How often, and by turns with whom. */
type Frame = { rounds: number; turns?: Turns | undefined }

/**
 * Measures floor and subject by turns, so that what else the machine does falls on both.
 *
 * Beside another commit no floor is measured: each side does its round and passes.
 */
export async function compare(
  { rounds: count, turns }: Frame,
  floor: () => Promise<Speed>,
  subject: () => Promise<Speed>,
): Promise<Comparison> {
  const measure = async (): Promise<Round> => {
    const round = { floor: turns ? undefined : await floor(), subject: await subject() }
    await turns?.pass()
    return round
  }
  // The first seconds go to the compiler, to connections and to caches.
  await measure()
  const endWatch = watchMachine()
  const rounds: Round[] = []
  for (let round = 0; round < count; round += 1) rounds.push(await measure())
  return { rounds, busy: endWatch() }
}

/** The middle one; of an even number the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  return (
    ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2
  )
}
