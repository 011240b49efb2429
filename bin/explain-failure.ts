import { join, relative, sep } from 'node:path'
import { printableWithin } from '../src/kernel/printable.ts'
import { backupFolder, listBackups } from '../src/backup/places/backup-folder.ts'
import { ClusterError } from '../src/db/embedded/cluster-error.ts'
import { readConfig, type Config } from '../src/config/config.ts'

/** Maximum length of a quoted error message, because the database quotes values of any length. */
const MAX_MESSAGE_CHARACTERS = 2_000

/** Explains an error in the operator's terms, and names the setting involved. */
export function explainFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return explainFailure(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  // A bug in this program, which only the stack can locate.
  if (error instanceof TypeError || error instanceof ReferenceError)
    return error.stack ?? error.message
  const config = readableConfig()
  if (!config) return printableWithin(MAX_MESSAGE_CHARACTERS, error.message)
  if (error instanceof ClusterError) return explainCluster(error, config)
  return (
    explainAddress(error, config) ??
    explainDatabase(error, config) ??
    explainDataDir(error, config) ??
    printableWithin(MAX_MESSAGE_CHARACTERS, error.message)
  )
}

/** Returns the settings; undefined if one is invalid, which commands that need no settings do not report. */
function readableConfig(): Config | undefined {
  try {
    return readConfig()
  } catch {
    return undefined
  }
}

type SystemError = Error & { code?: unknown; syscall?: unknown; path?: unknown; hostname?: unknown }

function explainAddress({ code, syscall, hostname }: SystemError, { host, port }: Config) {
  if (syscall === 'getaddrinfo' && hostname === host)
    return `HOST is ${host}, which cannot be resolved (${String(code)}).`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is used by another program. Stop it, or set PORT to another port; 0 selects a free one.`
  if (code === 'EADDRNOTAVAIL') return `HOST is ${host}, which is not an address of this machine.`
  return `Cannot listen on port ${port} of ${host} (${String(code)}). Choose others with PORT and HOST.`
}

/**
 * SQLSTATEs of a rejected connection, or their classes: credentials, unknown database, too many connections, starting
 * up or shutting down.
 */
const CONNECTION_REJECTED = /^(28|3D|53|57P)/

/** SQLSTATEs of damaged files: corrupted data or index, an internal error, or a missing or unreadable file. */
const DAMAGED = /^(XX00|58P01|58030)/

/** Names the command that restores the data, if the service has made a backup. */
function explainCluster({ message, fault, alternative }: ClusterError, config: Config) {
  const newest = newestBackupOf(config)
  return newest === undefined
    ? message
    : `${fault} ${alternative === '' ? 'Bring' : `${alternative} bring`} back the newest backup with ` +
        `mokuroku restore ${newest} --force, which keeps the folder aside.`
}

function newestBackupOf(config: Config) {
  // Listing the backups in a bucket would delay this message.
  if (config.bucket?.contents.includes('backups')) return 'bucket:NAME (see mokuroku backup list)'
  const folder = backupFolder(config)
  try {
    return folder === undefined ? undefined : listBackups(folder).at(-1)
  } catch {
    // The advice must not hide the failure.
    return undefined
  }
}

function explainDatabase({ message, code, syscall }: SystemError, config: Config) {
  const { databaseUrl, dataDir } = config
  if (
    databaseUrl === undefined &&
    (message.startsWith('Connection terminated') || code === '57P01')
  )
    return (
      `The service that has the database in ${dataDir} open stopped before the command was done. ` +
      'The transaction in progress was rolled back. Run the command again.'
    )
  if (databaseUrl === undefined)
    return typeof code === 'string' && DAMAGED.test(code)
      ? explainCluster(
          new ClusterError(
            `The database in ${join(dataDir, 'postgres')} is damaged: ${message}.`,
            'Move the folder aside, and restore a backup in its place.',
          ),
          config,
        )
      : undefined
  if (syscall === 'connect' || syscall === 'getaddrinfo')
    return `The database in DATABASE_URL cannot be reached: ${message}`
  if (/timeout/.test(message) && code === undefined)
    return 'The database in DATABASE_URL does not respond: connecting took longer than 5 seconds.'
  if (code === '57014')
    return (
      'The database did not finish a statement in time: it is overloaded, or another session holds a lock. ' +
      'Check with: select pid, pg_blocking_pids(pid), state, query from pg_stat_activity. Then try again.'
    )
  if (message.startsWith('Connection terminated'))
    return `The database in DATABASE_URL closed the connection: ${message}`
  return typeof code === 'string' && CONNECTION_REJECTED.test(code)
    ? `The database in DATABASE_URL rejected the connection: ${message}`
    : undefined
}

function explainDataDir({ message, code, path }: SystemError, { dataDir }: Config) {
  const isInDataDir =
    typeof path === 'string' && (isWithin(dataDir, path) || isWithin(path, dataDir))
  // The lock is an SQLite file, and SQLite's messages name no file.
  return isInDataDir || code === 'ERR_SQLITE_ERROR'
    ? `DATA_DIR is ${dataDir}, which cannot be used: ${message}`
    : undefined
}

const isWithin = (path: string, folder: string) => relative(folder, path).split(sep)[0] !== '..'
