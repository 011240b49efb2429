import { timePerRequest } from './processor-time.ts'
import type { Speed } from './rounds.ts'

/**
 * Repeats work for some seconds with the given number of concurrent runs in this process.
 *
 * @param work receives the index of its run, starting at 0
 * @param cpuTime returns the processor time of the server that does the work, in microseconds; omit it if this process
 * does the work
 */
export async function runConcurrently(
  atOnce: number,
  seconds: number,
  work: (worker: number) => Promise<void>,
  cpuTime: () => number | undefined = ownCpuTime,
): Promise<Speed> {
  const before = cpuTime()
  const started = performance.now()
  const end = started + seconds * 1_000
  let done = 0
  const repeat = async (worker: number) => {
    while (performance.now() < end) {
      await work(worker)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: atOnce }, (_, worker) => repeat(worker)))
  return {
    perSecond: done / ((performance.now() - started) / 1_000),
    cpu: timePerRequest(before, cpuTime(), done),
  }
}

function ownCpuTime() {
  const { user, system } = process.cpuUsage()
  return user + system
}
