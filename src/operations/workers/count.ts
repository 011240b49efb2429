import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'

type Log = { info(text: string): void }

/** Returns the number of worker processes for this machine and database. */
export function countWorkers({ workers, databaseUrl }: Config, log: Log): number {
  if (workers !== 'auto') return workers
  if (databaseUrl !== undefined) return availableParallelism()
  log.info(
    'WORKERS is auto: using one worker, because the embedded database supports only one process',
  )
  return 1
}
