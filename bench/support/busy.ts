import { readFileSync } from 'node:fs'
import { treeTime, TICK_MICROSECONDS } from './processor-time.ts'

/** What of the machine was not ours while something was measured; shares of 0 to 1. */
export type Busy = {
  /** Of the time of all processors: taken by processes the bench did not start. */
  others: number
  /** Of the same: taken by the host for its other machines. */
  stolen: number
  /** Of the time that passed: a process, ours or not, waited for a processor. Undefined where the kernel does not say it. */
  waiting: number | undefined
}

/** Readings of one moment, in microseconds since the machine's start. */
export type Moment = {
  /** All processors together, idle or not. */
  all: number
  /** Of which programs and the kernel for them; without interrupts, which are nobody's. */
  programs: number
  stolen: number
  /** The bench's process and all that it started. */
  ours: number
  waited: number | undefined
  /** Of the clock. */
  time: number
}

/** From this share of the processors on a row is marked. */
export const MARKED_FROM = 0.05

/**
 * Looks how busy the machine is with other work from now on.
 *
 * @returns a function that ends it and answers; undefined where there is no `/proc`
 */
export function watchMachine(): () => Busy | undefined {
  const before = readMoment()
  return () => {
    const after = readMoment()
    return before && after && busyBetween(before, after)
  }
}

/** The kernel counts all processors by samples and each process exactly: a per cent either way is not somebody's work. */
export function busyBetween(before: Moment, after: Moment): Busy {
  const grown = (of: (moment: Moment) => number) => of(after) - of(before)
  const all = grown(({ all }) => all) || 1
  const time = grown(({ time }) => time) || 1
  return {
    others:
      Math.max(
        0,
        grown(({ programs, ours }) => programs - ours),
      ) / all,
    stolen: grown(({ stolen }) => stolen) / all,
    waiting:
      before.waited === undefined || after.waited === undefined
        ? undefined
        : Math.min(1, (after.waited - before.waited) / time),
  }
}

/** The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal; what follows is in user already. */
export function parseProcessors(text: string): Pick<Moment, 'all' | 'programs' | 'stolen'> {
  const ticks = (text.split('\n')[0] ?? '').split(/\s+/).slice(1, 9).map(Number)
  const [user = 0, nice = 0, system = 0] = ticks
  const sum = ticks.reduce((all, some) => all + some, 0)
  return {
    all: sum * TICK_MICROSECONDS,
    programs: (user + nice + system) * TICK_MICROSECONDS,
    stolen: (ticks[7] ?? 0) * TICK_MICROSECONDS,
  }
}

/** Of `/proc/pressure/cpu`: the microseconds in which somebody waited. */
export function parsePressure(text: string): number | undefined {
  const total = /^some .*total=(\d+)/m.exec(text)?.[1]
  return total === undefined ? undefined : Number(total)
}

function readMoment(): Moment | undefined {
  const processors = read('/proc/stat')
  const ours = treeTime(process.pid)
  if (processors === undefined || ours === undefined) return undefined
  return {
    ...parseProcessors(processors),
    ours,
    waited: parsePressure(read('/proc/pressure/cpu') ?? ''),
    time: performance.now() * 1_000,
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
