import { DEFAULT_RATING, RATING_FIELDS } from '../fields.ts'

/** Pieces of the statements about records. */

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

/** A row of `ratings` with the fields of a change (jsonb), the others as in a record of which nothing was sent. */
export const newRecord = (change: string) =>
  `jsonb_populate_record(null::ratings, '${JSON.stringify(DEFAULT_RATING)}'::jsonb || ${change})`

/** The stored row `rating` with the fields of a change (jsonb) laid over it. */
export const changedRecord = (change: string) => `jsonb_populate_record(rating, ${change})`
