import type { ServerProcess } from './children.ts'
import { timePerRequest } from './processor-time.ts'
import type { Speed } from './rounds.ts'
import type { Stage } from './stage.ts'
import { wrk, type Load } from './wrk.ts'

/**
 * Returns one side of a comparison: one load on one server, with the processor time used there.
 *
 * @param alsoMeasured `database` to also count PostgreSQL's processor time, for comparisons whose floor runs in PostgreSQL
 */
export function speedOf(
  stage: Stage,
  server: ServerProcess,
  load: Omit<Load, 'seconds'>,
  alsoMeasured?: 'database',
): () => Promise<Speed> {
  return async () => {
    const before = server.cpuTime()
    const databaseBefore = alsoMeasured && (await stage.databaseTime())
    const { perSecond, requests } = await wrk(stage.children, { ...load, seconds: stage.seconds })
    return {
      perSecond,
      cpu: timePerRequest(before, server.cpuTime(), requests),
      database:
        alsoMeasured && timePerRequest(databaseBefore, await stage.databaseTime(), requests),
    }
  }
}
