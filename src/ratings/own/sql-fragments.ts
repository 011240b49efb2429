import { DEFAULT_RATING, isScore, RATING_FIELDS, type RatingField } from '../fields.ts'

/** Pieces of the statements about records; whatever lists their fields is made from the one list there is. */

/** The columns of what a reader records. */
export const FIELD_COLUMNS = RATING_FIELDS.join(', ')

const columnsOf = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(', ')

/** The same, of a row. */
export const fieldColumnsOf = (alias: string) => columnsOf(alias, RATING_FIELDS)

/** What is read of a record, of `rating`. */
export const RATING_COLUMNS = columnsOf('rating', [
  'id',
  'created_at',
  'updated_at',
  'like_count',
  'dislike_count',
  ...RATING_FIELDS,
])

/** The type in which a field's value is sent to the database. */
export const typeOfField = (field: RatingField) =>
  isScore(field)
    ? 'numeric'
    : { boolean: 'boolean', number: 'integer', string: 'text' }[
        // as: what is no score has a default that is one of these
        typeof DEFAULT_RATING[field] as 'boolean' | 'number' | 'string'
      ]

/** What a row says, as one value. */
export const saidBy = (alias: string) => `row(${fieldColumnsOf(alias)})::rating_said`

const literalOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** What is compared with a record that comes or goes: whatever status it has is a change. */
export const NOTHING_SAID = `row(${RATING_FIELDS.map((field) =>
  field === 'status' ? 'null' : literalOf(DEFAULT_RATING[field]),
).join(', ')})::rating_said`

/**
 * A query for `fields` of the history, as `{"rate": {"from": 7.0, "to": 8.5}}`.
 *
 * @param before a value as `saidBy` makes it
 * @param after the same
 */
export const differences = (before: string, after: string) => `
  select coalesce(jsonb_object_agg(field, jsonb_build_object('from', was, 'to', becomes)), '{}') as fields
  from (
    values ${RATING_FIELDS.map((field) => `('${field}', to_jsonb((${before}).${field}), to_jsonb((${after}).${field}))`).join(', ')}
  ) said (field, was, becomes)
  where was is distinct from becomes`

/** What a record counts for in totals that says this and is not hidden; `rating_counted` of the database says the same. */
export const countedOf = (said: string) => `
  jsonb_strip_nulls(jsonb_build_object(
    'status', case when not (${said}).status_private then coalesce((${said}).status, 'NONE') end,
    'content', case when (${said}).rate_content <> '' and not (${said}).status_private then 'REVIEW' end,
    ${RATING_FIELDS.filter(isScore)
      .map((field) => `'${field}', (${said}).${field}`)
      .join(', ')}
  ))`
