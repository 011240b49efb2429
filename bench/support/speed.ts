import type { ServerProcess } from './children.ts'
import { timePerRequest } from './processor-time.ts'
import type { Speed } from './rounds.ts'
import type { Stage } from './stage.ts'
import { wrk, type Load } from './wrk.ts'

/**
 * What a round of a comparison calls: one load on one server, with the processor time it cost there.
 *
 * @param besides `database`: PostgreSQL's time counts too, since the floor's work is done there
 */
export function speedOf(
  stage: Stage,
  server: ServerProcess,
  load: Omit<Load, 'seconds'>,
  besides?: 'database',
): () => Promise<Speed> {
  return async () => {
    const before = server.cpuTime()
    const databaseBefore = besides && (await stage.databaseTime())
    const { perSecond, requests } = await wrk(stage.children, { ...load, seconds: stage.seconds })
    return {
      perSecond,
      cpu: timePerRequest(before, server.cpuTime(), requests),
      database: besides && timePerRequest(databaseBefore, await stage.databaseTime(), requests),
    }
  }
}
