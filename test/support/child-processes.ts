import { execFileSync } from 'node:child_process'

/** Returns the ids of a process's child processes. */
export function childProcesses(parent: number | undefined): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, its]) => (its === parent ? pid : []))
}

/** True if a process is running. A zombie process does not count. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith(
      'Z',
    )
  } catch {
    return false
  }
}

/**
 * Sends a signal to a process and its child processes. Ignores those that have ended.
 *
 * @returns the ids of the processes, the parent first
 */
export function signalTree(parent: number | undefined, signal: NodeJS.Signals): number[] {
  if (parent === undefined) return []
  const all = [parent, ...childProcesses(parent)]
  for (const pid of all)
    try {
      process.kill(pid, signal)
    } catch {
      // It has already ended.
    }
  return all
}
