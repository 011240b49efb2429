import pg from 'pg'

/** Runs a statement in a new connection, and returns its rows. */
export async function queryOnce<Row extends pg.QueryResultRow = Record<string, unknown>>(
  url: string | undefined,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  // A lost connection also rejects the statement.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}
