import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Duration of a `/proc` tick in microseconds. Linux has a hundred per second. */
export const TICK_MICROSECONDS = 10_000

/** Fields of `/proc/PID/stat`, times in microseconds. */
export type ProcessStat = {
  pid: number
  parent: number
  /** Time of all its threads. */
  own: number
  /** Time of its terminated children and their terminated descendants. */
  ended: number
}

/**
 * The program name is in parentheses and may contain any character. utime, stime, cutime and cstime are fields 14 to
 * 17.
 */
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

/** Returns the processor time of a process and all its descendants, including those that have ended. */
export function sumOfTree(processes: ProcessStat[], root: number): number {
  const children = Map.groupBy(processes, ({ parent }) => parent)
  const sumBelow = (stats: ProcessStat[]): number =>
    stats.reduce(
      (sum, { pid, own, ended }) => sum + own + ended + sumBelow(children.get(pid) ?? []),
      0,
    )
  return sumBelow(processes.filter(({ pid }) => pid === root))
}

/** Returns the processor time of a process's terminated children. Undefined without `/proc`. */
export function endedChildrenTime(pid: number): number | undefined {
  return readStat(pid)?.ended
}

/** Returns a process's processor time with all its descendants. */
export function treeTime(root: number): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return sumOfTree(
    pids.flatMap((pid) => readStat(Number(pid)) ?? []),
    root,
  )
}

/** Returns the processor time per request between two readings. */
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
    // The process has ended, or there is no `/proc`.
  } catch {
    return undefined
  }
}
