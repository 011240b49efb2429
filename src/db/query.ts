import { CompiledQuery } from 'kysely'
import type { Database } from './database.ts'

/**
 * Runs a statement that is a constant text, with `$1 …` for its parameters: nothing to compile, and, when it has some,
 * prepared once a connection.
 * For the hot paths; elsewhere the builder and the `sql` tag read better.
 */
export async function queryRows<Row>(
  db: Database,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}
