import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** A tick of `/proc`: Linux has a hundred a second. */
export const TICK_MICROSECONDS = 10_000

/** What `/proc/PID/stat` says of a process; times in microseconds. */
export type ProcessStat = {
  pid: number
  parent: number
  /** Of all its threads. */
  own: number
  /** Of its children that have ended, and of theirs. */
  ended: number
}

/** The program's name stands in parentheses and may hold anything; utime, stime, cutime and cstime are fields 14 to 17. */
export function parseProcessStat(text: string): ProcessStat {
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  const at = (field: number) => fields[field - 3] ?? 0
  return {
    pid: Number.parseInt(text, 10),
    parent: at(4),
    own: (at(14) + at(15)) * TICK_MICROSECONDS,
    ended: (at(16) + at(17)) * TICK_MICROSECONDS,
  }
}

/** Processor time of a process and of all that descend from it, those that have ended included. */
export function sumOfTree(processes: ProcessStat[], root: number): number {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const sumBelow = (stats: ProcessStat[]): number =>
    stats.reduce(
      (sum, { pid, own, ended }) => sum + own + ended + sumBelow(children.get(pid) ?? []),
      0,
    )
  return sumBelow(processes.filter(({ pid }) => pid === root))
}

/** Processor time a process has used since its start; undefined where there is no `/proc`. */
export function processTime(pid: number): number | undefined {
  return readStat(pid)?.own
}

/** The same of its children that have ended. */
export function endedChildrenTime(pid: number): number | undefined {
  return readStat(pid)?.ended
}

/** The same of a process with all its descendants. */
export function treeTime(root: number): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return sumOfTree(
    pids.flatMap((pid) => readStat(Number(pid)) ?? []),
    root,
  )
}

/** What a request took of a server whose processor time was read before and after many. */
export function timePerRequest(
  before: number | undefined,
  after: number | undefined,
  requests: number,
): number | undefined {
  return before === undefined || after === undefined ? undefined : (after - before) / requests
}

function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    // Gone, or there is no /proc.
  } catch {
    return undefined
  }
}
