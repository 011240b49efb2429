import { CompiledQuery } from 'kysely'
import type { Reads } from './replicas/reads.ts'
import type { Statement } from './statement.ts'

/**
 * Runs a statement without compiling a query. A statement with parameters is prepared once per connection. Use it on
 * hot paths. Elsewhere, the query builder and the `sql` tag are easier to read.
 *
 * @throws the database's error, with the statement's name as `statement`
 */
export async function queryRows<Row, const Parameters extends readonly unknown[]>(
  db: Reads,
  statement: Statement<Row, Parameters>,
  parameters: NoInfer<Parameters>,
): Promise<Row[]> {
  try {
    return await queryText<Row>(db, statement.text, parameters)
  } catch (error) {
    if (error instanceof Error) Object.assign(error, { statement: statement.name })
    throw error
  }
}

/** Returns the first row of a statement, or `undefined` if it returns none. */
export async function queryRow<Row, const Parameters extends readonly unknown[]>(
  db: Reads,
  statement: Statement<Row, Parameters>,
  parameters: NoInfer<Parameters>,
): Promise<Row | undefined> {
  return (await queryRows(db, statement, parameters))[0]
}

/** Runs SQL assembled at run time, such as a list with optional filters. */
export async function queryText<Row>(
  db: Reads,
  text: string,
  parameters: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))
  return rows
}
