import { availableParallelism } from 'node:os'
import type { Children } from './children.ts'

/**
 * Keeps the service and this process on different processors, so that the load generator takes no processor time from
 * the service.
 *
 * @returns a function that lets this process use all processors again
 */
export async function pinApart(children: Children, service: { pid: number }) {
  const count = availableParallelism()
  if (count < 2 || process.platform !== 'linux') return async () => {}
  const pin = (pid: number, processors: string) =>
    children.run(['taskset', '--all-tasks', '--cpu-list', '--pid', processors, String(pid)])
  await pin(service.pid, '0')
  await pin(process.pid, '1')
  return async () => void (await pin(process.pid, `0-${count - 1}`))
}
