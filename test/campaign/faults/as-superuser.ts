import pg from 'pg'

/** Runs statements one after another in a new connection. */
export async function asSuperuser(url: string, ...statements: string[]) {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
