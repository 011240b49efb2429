import type pg from 'pg'

/** Closes a connection at once, without notifying the server, which may never respond. */
export function destroyConnection(client: pg.ClientBase, error?: Error) {
  // as: an internal that the types omit; `end` would wait for the server
  const { connection } = client as unknown as {
    connection: { stream: { destroy(error?: Error): void } }
  }
  connection.stream.destroy(error)
}
