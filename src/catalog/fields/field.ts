import type { Static, TSchema } from 'typebox'

/** Part of the answer about an entry. */
type Shown = {
  /** Schema of the value in answers. */
  answer: TSchema
  /** SQL of that value, of the entry's row and the field's name. Without it, the column of that name. */
  select?: (entry: string, name: string) => string
  /** Value in the example of the OpenAPI document. */
  example: unknown
}

/** Column that is filled from what sources say. */
type Stated = {
  /** Schema of a value that is set by hand. Its type is that of the field in records. */
  stated: TSchema
  /** Value of the column when no source says anything. */
  fallback: unknown
  /** Whether the column can hold a value that a source says; without it, any. */
  canHold?: (value: unknown) => boolean
}

/** One field of a kind of entries. Columns, records, answers, SQL, edits, examples and types of pages follow from it. */
type Field = (Shown & Partial<Stated>) | (Stated & { answer?: never })

/** The fields of a kind, in the order of answers. */
export type Fields = Readonly<Record<string, Field>>

/** What a record may say, by field. */
export type StatedIn<Rows> = {
  -readonly [
    Name in keyof Rows as Rows[Name] extends { stated: TSchema } ? Name : never
  ]: Rows[Name] extends { stated: infer Schema extends TSchema } ? Static<Schema> : never
}

type AnswersOf<Rows> = {
  -readonly [
    Name in keyof Rows as Rows[Name] extends { answer: TSchema } ? Name : never
  ]: Rows[Name] extends { answer: infer Schema } ? Schema : never
}

const shownIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, field]) => (field.answer ? [[name, field] as const] : []))

/** Columns among the fields. */
export const columnsIn = (fields: Fields) =>
  Object.entries(fields).flatMap(([name, { stated, fallback, canHold }]) =>
    stated ? [{ name, stated, fallback, canHold }] : [],
  )

/** Properties of the answer's schema. */
export const answersOf = <Rows extends Fields>(fields: Rows) =>
  // as: the properties of those very fields
  Object.fromEntries(shownIn(fields).map(([name, { answer }]) => [name, answer])) as AnswersOf<Rows>

/** SQL: the fields of the answer. @param entry table or alias of the row that has the columns */
export const selectOf = (fields: Fields, entry: string) =>
  shownIn(fields)
    .map(([name, { select }]) =>
      select ? `${select(entry, name)} as ${name}` : `${entry}.${name}`,
    )
    .join(',\n  ')

/** The entry of the example, which is one of the bundled sample; texts may be shortened. */
export const examplesOf = (fields: Fields) =>
  Object.fromEntries(shownIn(fields).map(([name, { example }]) => [name, example]))
