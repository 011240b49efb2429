import type { Static, TSchema } from 'typebox'

/** The part of a field that appears in responses. */
type Shown = {
  /** Schema of the value in responses. */
  response: TSchema
  /** Returns the SQL for the value, given the entry's row and the field's name. Defaults to the column of that name. */
  select?: (entry: string, name: string) => string
  /** Value in the example of the OpenAPI document. */
  example: unknown
}

/** Part of a field that is stored in a column and filled from sources. */
type Stated = {
  /** Schema of a value set manually, and type of the field in source records. */
  stated: TSchema
  /** Value to store if no source provides one. */
  fallback: unknown
  /** Whether the column can hold a value that a source states. Defaults to accepting any value. */
  canHold?: (value: unknown) => boolean
}

/**
 * One field that a kind of entry has. Its columns, records, responses, SQL, edits, examples and page types are derived
 * from it.
 */
type Field = (Shown & Partial<Stated>) | (Stated & { response?: never })

/** Fields of a kind, in the order in which responses list them. */
export type Fields = Readonly<Record<string, Field>>

/** Values that a record may state, keyed by field. */
export type StatedIn<Rows> = {
  -readonly [
    Name in keyof Rows as Rows[Name] extends { stated: TSchema } ? Name : never
  ]: Rows[Name] extends { stated: infer Schema extends TSchema } ? Static<Schema> : never
}

type ResponseSchemasOf<Rows> = {
  -readonly [
    Name in keyof Rows as Rows[Name] extends { response: TSchema } ? Name : never
  ]: Rows[Name] extends { response: infer Schema } ? Schema : never
}

const shownIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.response ? [[name, field] as const] : [],
  )

/** Returns the fields that are columns. */
export const columnsIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { stated, fallback, canHold }]) =>
    stated ? [{ name, stated, fallback, canHold }] : [],
  )

/** Returns the properties of the response schema. */
export const responseProperties = <Rows extends Fields>(fields: Rows) =>
  // as: exactly the properties of those fields
  Object.fromEntries(
    shownIn(fields).map(([name, { response }]) => [name, response]),
  ) as ResponseSchemasOf<Rows>

/**
 * SQL for the fields of the response.
 *
 * @param entry table or alias of the row that has the columns
 */
export const selectOf = (fields: Fields, entry: string) =>
  shownIn(fields)
    .map(([name, { select }]) =>
      select ? `${select(entry, name)} as ${name}` : `${entry}.${name}`,
    )
    .join(',\n  ')

/** Returns the example entry, taken from the bundled sample; long text may be truncated. */
export const examplesOf = (fields: Fields) =>
  Object.fromEntries(shownIn(fields).map(([name, { example }]) => [name, example]))
