const CONNECTION_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EPIPE', 'ETIMEDOUT', 'ENOENT'])
const CONNECTION_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|not queryable|connection has been discarded|driver has already been destroyed|after calling end on the pool|PGlite is closed/i

/**
 * Whether the connection to the database failed, or the database is shutting down, so that the same request may succeed
 * later. Read by code and message: the two engines throw different classes.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isUnavailable)
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // 08: connection exception, 25P03, 25P04: a transaction took too long, 53: out of connections, memory or disk,
  // 40P01: two who waited for each other, 55P03: locked for long, 57: cancelled, shutdown or restart
  return (
    CONNECTION_CODES.has(code) ||
    /^(08|53|57)|^(25P03|25P04|40P01|55P03)$/.test(code) ||
    CONNECTION_MESSAGES.test(error.message)
  )
}
