/**
 * Error codes after which the same request may succeed later. A key of two characters represents a whole class of
 * SQLSTATEs.
 */
const OUTAGES: Record<string, string> = {
  // SQLSTATE (PostgreSQL manual, appendix A)
  '08': 'connection exception',
  '25006': 'the database is read-only: a standby, or a primary that was demoted',
  '25P03': 'the transaction was idle for too long',
  '25P04': 'the transaction took too long',
  '40001': 'serialization failure; on a standby, a conflict with recovery',
  '40P01': 'deadlock',
  '53': 'out of connections, memory or disk',
  '55P03': 'a lock was not granted in time',
  '57': 'cancelled, or the server shuts down or restarts',
  '58030': 'the server failed to read or write a file',
  // Network
  ECONNABORTED: 'connection given up by this machine',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTDOWN: 'host is down',
  EHOSTUNREACH: 'no route to the host',
  ENETDOWN: 'network is down',
  ENETUNREACH: 'no route to the network',
  ENOENT: 'no Unix socket at that path',
  EPIPE: 'connection closed by the peer',
  ETIMEDOUT: 'no response in time',
  // Name server
  EAI_AGAIN: 'the name server did not respond',
  EAI_FAIL: 'the name server failed',
  ENOTFOUND: 'the name server does not know the host',
  // This machine
  EADDRNOTAVAIL: 'no free port for an outgoing connection',
  EMFILE: 'no free file descriptor in this process',
  ENFILE: 'no free file descriptor on this machine',
  ENOBUFS: 'no buffer space for a socket',
}

const CONNECTION_MESSAGES =
  /Connection terminated|timeout expired|timeout exceeded when trying to connect|not queryable|connection has been discarded|driver has already been destroyed|after calling end on the pool|PGlite is closed/i

/**
 * True if the database is temporarily unreachable or unusable. Checks both codes and messages, because the two engines
 * throw different classes.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = codeOf(error)
  return (
    Object.hasOwn(OUTAGES, code) ||
    (isSqlState(code) && Object.hasOwn(OUTAGES, code.slice(0, 2))) ||
    CONNECTION_MESSAGES.test(error.message)
  )
}

/**
 * SQLSTATEs and classes after which a connection must not be reused: the server is read-only, failing or in recovery,
 * and a new connection may lead to the primary.
 */
const SESSION_ENDS = /^(08...|25006|40001|57P0[1-3]|58030)$/

/** True if a statement's error shows that its connection must be closed. */
export const endsSession = (error: unknown) =>
  error instanceof Error && SESSION_ENDS.test(codeOf(error))

/** True if a statement failed because the connection leads to a read-only database. */
export const isReadOnly = (error: unknown) => error instanceof Error && codeOf(error) === '25006'

const codeOf = (error: Error) =>
  'code' in error && typeof error.code === 'string' ? error.code : ''
const isSqlState = (code: string) => /^[0-9A-Z]{5}$/.test(code)
