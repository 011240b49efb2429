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

/** Returns the connection of a client. */
export const connectionOf = (client: pg.Client) =>
  // as: the types leave it out
  (client as unknown as { connection: Connection }).connection
