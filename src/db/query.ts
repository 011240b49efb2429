import { CompiledQuery } from 'kysely'
import type { Database } from './database.ts'
import type { Statement } from './statement.ts'

/**
 * Runs a statement: nothing to compile, and, when it has parameters, prepared once a connection.
 * For the hot paths; elsewhere the builder and the `sql` tag read better.
 */
export async function queryRows<Row, const Parameters extends readonly unknown[]>(
  db: Database,
  statement: Statement<Row, Parameters>,
  parameters: NoInfer<Parameters>,
): Promise<Row[]> {
  return queryText<Row>(db, statement.text, parameters)
}

/** Runs a text that is made at run time, such as a list with the reader's filters. */
export async function queryText<Row>(
  db: Database,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}
