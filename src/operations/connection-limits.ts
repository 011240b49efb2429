import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { databaseHosts } from '../config/database-hosts.ts'
import { REFUSED_SHARE } from '../http/wire/connections.ts'
import { countWorkers } from './workers/count.ts'

/** Open files that are reserved for everything but clients: the embedded database (160), pictures, dumps and logs. */
const RESERVED_FILES = 256

/**
 * Returns how many client connections a process serves. The rest of its open files are left to connections that get a
 * 503 response, and to the reserve, so that clients never wait without a response.
 *
 * @param openFiles limit of the process, as reported by `ulimit -n`
 */
export const fitConnections = ({ maxConnections }: Config, openFiles: number): number =>
  Math.min(
    maxConnections,
    Math.max(1, Math.floor((openFiles - RESERVED_FILES) / (1 + REFUSED_SHARE))),
  )

/** Warns if a process cannot serve as many connections as configured. */
export function warnFewOpenFiles(config: Config, openFiles: number, log: Pick<Logger, 'warn'>) {
  const fitting = fitConnections(config, openFiles)
  if (fitting < config.maxConnections)
    log.warn(
      `MAX_CONNECTIONS is ${config.maxConnections}, but a process may only have ${openFiles} open files, which are enough for ` +
        `${fitting} connections: lower it, or raise ulimit -n`,
    )
}

/** Returns this process's limit on open files, or infinity if there is no limit. */
export function findOpenFilesLimit(): number {
  // Node's types omit this property. Without it, the report would query DNS for each peer.
  Object.assign(process.report, { excludeNetwork: true })
  // as: diagnostic reports have this structure
  const { userLimits } = process.report.getReport() as {
    userLimits?: { open_files?: { soft: number | string } }
  }
  const limit = Number(userLimits?.open_files?.soft)
  return Number.isNaN(limit) ? Infinity : limit
}

/** Returns how many connections to the primary the workers of this machine may open. */
export function countRequiredConnections(config: Config, log: Pick<Logger, 'info'>): number {
  const { databaseUrl = '', databaseDirectUrl = databaseUrl, databasePoolSize } = config
  // Outside of the pool, one connection listens for changes. With replicas, another connection queries the position of the primary.
  const others = [
    databaseDirectUrl,
    ...(config.databaseReplicaUrls.length > 0 ? [databaseUrl] : []),
  ]
  // For each URL with several hosts, one more connection watches which host is the primary.
  const watched = [databaseUrl, ...others].filter((url) => databaseHosts(url).urls.length > 1)
  return countWorkers(config, log) * (databasePoolSize + others.length + watched.length)
}

/**
 * Warns if the workers may need more connections than the database server accepts, because requests would then fail
 * under load.
 *
 * @param allowed connections that the server accepts
 */
export function warnFewConnections(
  config: Config,
  allowed: number,
  log: Pick<Logger, 'warn' | 'info'>,
) {
  if (config.databaseUrl === undefined) return
  const required = countRequiredConnections(config, log)
  if (required > allowed)
    log.warn(
      `WORKERS and DATABASE_POOL_SIZE may take ${required} connections, but the database server only accepts ${allowed} ` +
        'in total: lower one of them, or raise max_connections',
    )
}
