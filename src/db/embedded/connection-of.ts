import type { EventEmitter } from 'node:events'
import type pg from 'pg'

/** Internals of pg's client that its types leave out. */
type Connection = EventEmitter<{
  parameterStatus: [{ parameterName: string; parameterValue: string }]
}> & {
  flush(): void
  /** Text of the prepared statements, keyed by name. */
  parsedStatements: Record<string, string>
}

/** Returns a client's connection. */
export const connectionOf = (client: pg.Client) =>
  // as: the types omit it
  (client as unknown as { connection: Connection }).connection
