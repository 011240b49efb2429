import { join, relative, sep } from 'node:path'
import { printableWithin } from '../src/kernel/printable.ts'
import { readConfig, type Config } from '../src/config/config.ts'

/** Characters of what others say of an error: the database quotes values, which may be large. */
const LONGEST = 2_000

/** What went wrong, in the words of whoever runs the program, and which setting has to do with it. */
export function explainFailure(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0)
    return explainFailure(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  // A fault of this program: only its stack says where.
  if (error instanceof TypeError || error instanceof ReferenceError)
    return error.stack ?? error.message
  const config = readConfig()
  return (
    explainAddress(error, config) ??
    explainDatabase(error, config) ??
    explainDataDir(error, config) ??
    printableWithin(LONGEST, error.message)
  )
}

type SystemError = Error & { code?: unknown; syscall?: unknown; path?: unknown; hostname?: unknown }

function explainAddress({ code, syscall, hostname }: SystemError, { host, port }: Config) {
  if (syscall === 'getaddrinfo' && hostname === host)
    return `HOST is ${host}, a name that cannot be found (${String(code)}).`
  if (syscall !== 'listen') return undefined
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is taken by another program. Stop it, or set PORT to another; 0 takes a free one.`
  if (code === 'EADDRNOTAVAIL') return `HOST is ${host}, which is no address of this machine.`
  return `It is not possible to listen on port ${port} of ${host} (${String(code)}): choose others with PORT and HOST.`
}

/** Classes of SQLSTATE with which a server turns a connection away: credentials, no such database, full, starting or stopping. */
const TURNED_AWAY = /^(28|3D|53|57P)/

/** SQLSTATEs of damaged files: corrupted data or index, an internal error, a missing or unreadable file. */
const DAMAGED = /^(XX00|58P01|58030)/

function explainDatabase(
  { message, code, syscall }: SystemError,
  { databaseUrl, dataDir }: Config,
) {
  if (databaseUrl === undefined)
    return typeof code === 'string' && DAMAGED.test(code)
      ? `The database in ${join(dataDir, 'postgres')} is damaged: ${message}. ` +
          'Keep the folder, and put an undamaged copy in its place.'
      : undefined
  if (syscall === 'connect' || syscall === 'getaddrinfo')
    return `The database of DATABASE_URL cannot be reached: ${message}`
  if (/timeout/.test(message) && code === undefined)
    return 'The database of DATABASE_URL does not answer: it took longer than 5 seconds to connect.'
  if (code === '57014')
    return (
      'The database did not finish a statement in time: it is overloaded, or another session holds a lock. ' +
      'See select pid, pg_blocking_pids(pid), state, query from pg_stat_activity, and try again.'
    )
  if (message.startsWith('Connection terminated'))
    return `The database of DATABASE_URL hung up: ${message}`
  return typeof code === 'string' && TURNED_AWAY.test(code)
    ? `The database of DATABASE_URL turned us away: ${message}`
    : undefined
}

function explainDataDir({ message, code, path }: SystemError, { dataDir }: Config) {
  const concerned = typeof path === 'string' && (isWithin(dataDir, path) || isWithin(path, dataDir))
  // The lock is a file of SQLite, whose messages name no file.
  return concerned || code === 'ERR_SQLITE_ERROR'
    ? `DATA_DIR is ${dataDir}, which cannot be used: ${message}`
    : undefined
}

const isWithin = (path: string, folder: string) => relative(folder, path).split(sep)[0] !== '..'
