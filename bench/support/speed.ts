import type { ServerProcess } from './children.ts'
import type { Speed } from './rounds.ts'
import type { Stage } from './stage.ts'
import { wrk, type Load } from './wrk.ts'

/** What a round of a comparison calls: one load on one server, with the processor time it cost there. */
export function speedOf(
  { children, seconds }: Stage,
  server: ServerProcess,
  load: Omit<Load, 'seconds'>,
): () => Promise<Speed> {
  return async () => {
    const before = server.cpuTime()
    const { perSecond, requests } = await wrk(children, { ...load, seconds })
    return { perSecond, cpu: (server.cpuTime() - before) / requests }
  }
}
