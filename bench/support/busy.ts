import { readFileSync } from 'node:fs'
import { treeTime, TICK_MICROSECONDS } from './processor-time.ts'

/** Load from other processes during a measurement, as shares from 0 to 1. */
export type Busy = {
  /** Share of processor time used by processes that the bench did not start. */
  others: number
  /** Share of processor time that the host took for other machines (steal). */
  stolen: number
  /** Share of time in which some process waited for a processor. Undefined if the kernel does not report it. */
  waiting: number | undefined
}

/** Counters at one moment, in microseconds since boot. */
export type Moment = {
  /** Time of all processors, busy or idle. */
  all: number
  /** Time spent in user and kernel mode, without interrupts. */
  programs: number
  stolen: number
  /** Time of the bench and its children. */
  ownCpu: number
  waited: number | undefined
  /** Wall-clock time. */
  time: number
}

/** Share of processor time above which a row is marked. */
export const MARKED_FROM = 0.05

/**
 * Starts observing other load on the machine.
 *
 * @returns a function that stops and reports it; undefined without `/proc`
 */
export function watchMachine(): () => Busy | undefined {
  const before = readMoment()
  return () => {
    const after = readMoment()
    return before && after && busyBetween(before, after)
  }
}

/**
 * The kernel samples all processors but measures each process exactly, so a difference of one percent means nothing.
 */
export function busyBetween(before: Moment, after: Moment): Busy {
  const grown = (of: (moment: Moment) => number) => of(after) - of(before)
  const all = grown(({ all }) => all) || 1
  const time = grown(({ time }) => time) || 1
  return {
    others:
      Math.max(
        0,
        grown(({ programs, ownCpu }) => programs - ownCpu),
      ) / all,
    stolen: grown(({ stolen }) => stolen) / all,
    waiting:
      before.waited === undefined || after.waited === undefined
        ? undefined
        : Math.min(1, (after.waited - before.waited) / time),
  }
}

/**
 * First line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal. Later columns are included in
 * user.
 */
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

/** Reads from `/proc/pressure/cpu` the microseconds in which some process waited. */
export function parsePressure(text: string): number | undefined {
  const total = /^some .*total=(\d+)/m.exec(text)?.[1]
  return total === undefined ? undefined : Number(total)
}

function readMoment(): Moment | undefined {
  const processors = read('/proc/stat')
  const ownCpu = treeTime(process.pid)
  if (processors === undefined || ownCpu === undefined) return undefined
  return {
    ...parseProcessors(processors),
    ownCpu,
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
