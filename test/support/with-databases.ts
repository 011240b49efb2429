import { startPostgres } from './postgres.ts'
import { makeTemplates } from './template-databases.ts'

/** Runs `work` with a PostgreSQL server and the template databases, named in its environment. */
export async function withDatabases<T>(work: () => Promise<T>): Promise<T> {
  const postgres = await startPostgres('memory')
  console.log(`PostgreSQL: ${postgres.origin}`)
  try {
    const { environment, remove } = await makeTemplates(postgres.url)
    Object.assign(process.env, environment)
    delete process.env['DATABASE_URL']
    try {
      return await work()
    } finally {
      await remove()
    }
  } finally {
    await postgres.stop()
  }
}
