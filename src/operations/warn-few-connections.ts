import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { countWorkers } from './workers/count.ts'

/** Of each process, beside its pool: it listens for what the others signal. */
const BESIDE_THE_POOL = 1

/**
 * Says in one line when a process may be asked for more connections than it can have open files: beyond those, clients would
 * wait without an answer.
 *
 * @param openFiles the limit of the process, as `ulimit -n` tells it
 */
export function warnFewOpenFiles(
  { maxConnections }: Config,
  openFiles: number,
  log: Pick<Logger, 'warn'>,
) {
  if (maxConnections > openFiles)
    log.warn(
      `MAX_CONNECTIONS is ${maxConnections}, and a process may have ${openFiles} open files: lower it, or raise ulimit -n`,
    )
}

/** The limit of open files of this process; infinite where there is none. */
export function findOpenFilesLimit(): number {
  // Its type lacks the property. Without it, the report asks name servers for each peer.
  Object.assign(process.report, { excludeNetwork: true })
  // as: what a report is
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } }
  }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Infinity : limit
}

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
