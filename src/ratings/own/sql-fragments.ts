import { isoTime } from '../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import {
  DEFAULT_RATING,
  isScore,
  RATING_FIELDS,
  ratingFieldsOf,
  type RatingField,
} from '../fields.ts'

/** Pieces of the statements about records; whatever lists their fields is made from the one list there is. */

/** Columns of a row. */
export const columnsOf = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(', ')

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
export const sqlTypeOf = (field: RatingField) =>
  isScore(field)
    ? 'numeric'
    : { boolean: 'boolean', number: 'integer', string: 'text' }[
        // as: what is no score has a default that is one of these
        typeof DEFAULT_RATING[field] as 'boolean' | 'number' | 'string'
      ]

/** What a row says, as one value. */
export const snapshotOf = (alias: string) => `row(${columnsOf(alias, RATING_FIELDS)})::rating_said`

const literalOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** Columns of a row, or of a value: SQL by field. */
type FieldsOf = (field: RatingField) => string

/** What a field is compared with of a record that comes or goes: whatever status it has is a change. */
const absentValue: FieldsOf = (field) =>
  field === 'status' ? 'null' : literalOf(DEFAULT_RATING[field])

/** What a record said before it was written; of a new one that is nothing. */
export const previousFields =
  (previous: string): FieldsOf =>
  (field) =>
    absentValue(field) === 'null'
      ? `(${previous}).${field}`
      : `coalesce((${previous}).${field}, ${absentValue(field)})`

/** What a row says. */
export const currentFields =
  (alias: string): FieldsOf =>
  (field) =>
    `${alias}.${field}`

/** Nothing, which a record says that is gone. */
export const absentFields: FieldsOf = (field) => `${absentValue(field)}::${sqlTypeOf(field)}`

// JSON is put together as text, which takes PostgreSQL half the time that its functions for each value take.
const jsonObject = (members: string[]) =>
  `('{' || concat_ws(',', ${members.join(', ')}) || '}')::jsonb`

const jsonText = (field: RatingField, value: string) =>
  `coalesce(${sqlTypeOf(field) === 'text' ? `to_json(${value})` : value}::text, 'null')`

/** `fields` of the history, as `{"rate": {"from": 7.0, "to": 8.5}}`. @param fields that may differ */
export const fieldChanges = (fields: readonly RatingField[], before: FieldsOf, after: FieldsOf) =>
  jsonObject(
    fields.map(
      (field) => `
        case when ${before(field)} is distinct from ${after(field)} then
          '"${field}":{"from":' || ${jsonText(field, before(field))} || ',"to":' || ${jsonText(field, after(field))} || '}'
        end`,
    ),
  )

/**
 * What a record counts for in totals that says this and is not hidden: its status and score, and what else is to be
 * compared. `rating_counted` of the database says all of it.
 *
 * @param fields that may differ from what it is compared with
 */
export const countedValues = (fields: readonly RatingField[], said: FieldsOf) =>
  jsonObject([
    `case when not ${said('status_private')} then '"status":"' || coalesce(${said('status')}, 'NONE') || '"' end`,
    ...(fields.includes('rate_content')
      ? [
          `case when ${said('rate_content')} <> '' and not ${said('status_private')} then '"content":"REVIEW"' end`,
        ]
      : []),
    ...fields.filter(isScore).map((field) => `'"${field}":' || ${said(field)}::text`),
  ])

/** A member of a JSON object: its name, and SQL of the text of its value. */
export type JsonMember = [name: string, json: string]

/** SQL of a JSON object as text; none of the values may be null. */
export const jsonObjectText = (members: readonly JsonMember[]) =>
  members
    .map(([name, json], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${json}`)
    .join(' || ') + ` || '}'`

export const jsonTextOf = (value: string) => `coalesce(to_json(${value})::text, 'null')`

export const jsonTime = (column: string) => `'"' || ${isoTime(column)} || '"'`

/** 7, as 7.5 is 7.5. */
export const scoreText = (field: RatingField) => `trim_scale(rating.${field})`

function fieldText(field: RatingField): string {
  if (isScore(field)) return `coalesce(${scoreText(field)}::text, 'null')`
  if (field === 'rate_content') return 'to_json(rating.rate_content)::text'
  if (field === 'status') return jsonTextOf('rating.status')
  return `rating.${field}::text`
}

/** A record as it goes over the wire (§2.12), of `rating`, behind its id. */
export const ratingMembers = (kind: WorkKind): JsonMember[] => [
  ['created_at', jsonTime('rating.created_at')],
  ['updated_at', jsonTime('rating.updated_at')],
  ['like_count', 'rating.like_count'],
  ['dislike_count', 'rating.dislike_count'],
  ...ratingFieldsOf(kind).map((field): JsonMember => [field, fieldText(field)]),
]
