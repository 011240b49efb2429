import { availableParallelism } from 'node:os'
import type { Config } from '../../config/config.ts'

type Log = { info(text: string): void }

/** How many processes are to answer requests, here and with this database. */
export function countWorkers({ workers, databaseUrl }: Config, log: Log): number {
  if (workers !== 'auto') return workers
  if (databaseUrl !== undefined) return availableParallelism()
  log.info('WORKERS is auto, which is one with the embedded database: it is for one process')
  return 1
}
