import { availableParallelism } from 'node:os'
import { childProcesses } from '#test/child-processes.ts'
import type { Children } from './children.ts'

/**
 * Keeps the given processes and their children on one processor, and this process on the others, so that the load
 * generator takes no processor time from what it measures.
 *
 * @returns a function that lets all of them use all processors again
 */
export async function pinApart(children: Children, measured: number[]) {
  const count = availableParallelism()
  if (count < 2 || process.platform !== 'linux') return async () => {}
  const all = `0-${count - 1}`
  const pin = (pid: number, processors: string) =>
    children.run(['taskset', '--all-tasks', '--cpu-list', '--pid', processors, String(pid)])
  const pinMeasured = (processors: string) =>
    Promise.allSettled(
      // The process of a connection may have ended.
      measured.flatMap((pid) => [pid, ...childProcesses(pid)].map((one) => pin(one, processors))),
    )
  await pinMeasured('0')
  await pin(process.pid, `1-${count - 1}`)
  return async () => {
    await pinMeasured(all)
    await pin(process.pid, all)
  }
}
