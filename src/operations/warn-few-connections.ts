import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { countWorkers } from './workers/count.ts'

/** Of each process, beside its pool: it listens for what the others signal. */
const BESIDE_THE_POOL = 1

/**
 * Says in one line when the workers may want more connections than the server takes: under load requests would be refused.
 *
 * @param allowed connections of the server
 */
export function warnFewConnections(
  config: Config,
  allowed: number,
  log: Pick<Logger, 'warn' | 'info'>,
) {
  if (config.databaseUrl === undefined) return
  const wanted = countWorkers(config, log) * (config.databasePoolSize + BESIDE_THE_POOL)
  if (wanted > allowed)
    log.warn(
      `WORKERS and DATABASE_POOL_SIZE may take ${wanted} connections, and the server of DATABASE_URL has ${allowed} ` +
        'for everybody: lower one of them, or raise max_connections',
    )
}
