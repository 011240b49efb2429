import { channel } from 'node:diagnostics_channel'
import type { DescribedStatements } from './described.ts'

/** Every statement is published here as it is made, for `build/describe-statements.ts`. */
export const STATEMENTS = channel('mokuroku:statement')

declare const TYPES: unique symbol

/** A constant text of SQL with `$1 …` for its parameters, and a name for logs. */
export type Statement<Row = unknown, Parameters extends readonly unknown[] = readonly unknown[]> = {
  readonly name: string
  readonly text: string
  /** Types only: the property does not exist. */
  readonly [TYPES]?: { row: Row; parameters: Parameters }
}

/** Any parameter may be null: PostgreSQL does not say which may not. */
type Nullable<Parameters> = { readonly [K in keyof Parameters]: Parameters[K] | null }

/** What a row type may say: any of the columns, each with its type or a narrower one, or null. */
type Fitting<Row, Columns> = {
  [K in keyof Row]: K extends keyof Columns ? Columns[K] | null : never
}

/**
 * Declares one of many statements alike, whose names are put together. PostgreSQL describes it too, but no type is
 * compared with that.
 */
export function statementOf<Row, Parameters extends readonly unknown[] = readonly unknown[]>(
  name: string,
  text: string,
): Statement<Row, Parameters> {
  const made = { name, text }
  STATEMENTS.publish(made)
  return made
}

type Declared<Name extends keyof DescribedStatements> = {
  /** The text of a statement whose rows are not read. */
  sql(text: string): Statement<unknown, Nullable<DescribedStatements[Name]['parameters']>>
  /** The text of a statement, with the type of its rows, which must fit the columns that PostgreSQL has described. */
  returning<Row extends Fitting<Row, DescribedStatements[Name]['row']>>(
    text: string,
  ): Statement<Row, Nullable<DescribedStatements[Name]['parameters']>>
}

/**
 * Declares a statement. Its parameters and columns are those that PostgreSQL has described in `described.ts`;
 * `npm run describe` describes a new or changed one.
 */
export function statement<Name extends keyof DescribedStatements>(name: Name): Declared<Name> {
  type Parameters = Nullable<DescribedStatements[Name]['parameters']>
  const declare = <Row>(text: string): Statement<Row, Parameters> => statementOf(name, text)
  return { sql: declare, returning: declare }
}
