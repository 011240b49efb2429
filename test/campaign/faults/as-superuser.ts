import pg from 'pg'
import type { CampaignStage } from '../stage.ts'

/** Runs statements one after another in a new connection. */
export async function asSuperuser({ databaseUrl }: CampaignStage, ...statements: string[]) {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
