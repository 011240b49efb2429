import { channel } from 'node:diagnostics_channel'
import type { DescribedStatements } from './described.ts'

/** Channel that announces every declared statement to `build/describe-statements.ts`. */
export const STATEMENTS = channel('mokuroku:statement')

/** Names of the statements by their text. */
const NAMES = new Map<string, string>()

/** Returns the name of a declared statement by its text. */
export const statementNameOf = (text: string) => NAMES.get(text)

declare const TYPES: unique symbol

/** Constant SQL text with `$1 …` for its parameters, and a name for logs. */
export type Statement<Row = unknown, Parameters extends readonly unknown[] = readonly unknown[]> = {
  readonly name: string
  readonly text: string
  /** This property exists only at the type level. */
  readonly [TYPES]?: { row: Row; parameters: Parameters }
}

/** Parameter types that admit null, because PostgreSQL does not report which parameters may be null. */
type Nullable<Parameters> = { readonly [K in keyof Parameters]: Parameters[K] | null }

/** Constraint for a row type: a subset of the columns, each with its type, a narrower type or null. */
type RowConstraint<Row, Columns> = {
  [K in keyof Row]: K extends keyof Columns ? Columns[K] | null : never
}

/**
 * Declares one of several similar statements whose names are generated. PostgreSQL also describes it, but its types
 * are not checked.
 */
export function statementOf<Row, Parameters extends readonly unknown[] = readonly unknown[]>(
  name: string,
  text: string,
): Statement<Row, Parameters> {
  const prepared = { name, text }
  NAMES.set(text, name)
  STATEMENTS.publish(prepared)
  return prepared
}

type Declared<Name extends keyof DescribedStatements> = {
  /** Declares a statement whose rows are not read. */
  sql(text: string): Statement<unknown, Nullable<DescribedStatements[Name]['parameters']>>
  /** Declares a statement with its row type, which must fit the columns that PostgreSQL described. */
  returning<Row extends RowConstraint<Row, DescribedStatements[Name]['row']>>(
    text: string,
  ): Statement<Row, Nullable<DescribedStatements[Name]['parameters']>>
}

/**
 * Declares a statement. PostgreSQL described its parameters and columns in `described.ts`. Run `npm run describe`
 * after adding or changing a statement.
 */
export function statement<Name extends keyof DescribedStatements>(name: Name): Declared<Name> {
  type Parameters = Nullable<DescribedStatements[Name]['parameters']>
  const declare = <Row>(text: string): Statement<Row, Parameters> => statementOf(name, text)
  return { sql: declare, returning: declare }
}
