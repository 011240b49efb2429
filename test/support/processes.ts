import { execFileSync } from 'node:child_process'
import type { Program } from './program.ts'

/** Returns a process's child processes. */
export function processesOf({ child }: Program): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
  return lines
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([pid = 0, parent]) => (parent === child.pid ? pid : []))
}
