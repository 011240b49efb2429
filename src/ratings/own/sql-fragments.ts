import { isoTimeSql } from '../../catalog/sql-fragments.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import {
  DEFAULT_RATING,
  isScore,
  RATING_FACTS,
  RATING_FIELDS,
  type RatingField,
  ratingFieldsOf,
} from '../fields.ts'

export const columnsOf = (alias: string, columns: readonly string[]) =>
  columns.map((column) => `${alias}.${column}`).join(', ')

export const RATING_COLUMNS = columnsOf('rating', [...RATING_FACTS, ...RATING_FIELDS])

/** SQL type of a field's parameter. */
export const sqlTypeOf = (field: RatingField) =>
  isScore(field)
    ? 'numeric'
    : { boolean: 'boolean', number: 'integer', string: 'text' }[
        // as: all other fields have a default of one of these types
        typeof DEFAULT_RATING[field] as 'boolean' | 'number' | 'string'
      ]

/** Snapshot of a row's rating fields as one composite value. */
export const snapshotOf = (alias: string) => `row(${columnsOf(alias, RATING_FIELDS)})::rating_said`

const literalOf = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** Maps a field to SQL for its value. */
type FieldsOf = (field: RatingField) => string

/** Value of a field while the rating does not exist. The status is null, so that any status counts as a change. */
const absentValue: FieldsOf = (field) =>
  field === 'status' ? 'null' : literalOf(DEFAULT_RATING[field])

/** Fields before the write. `previous` is null for a new rating. */
export const previousFields =
  (previous: string): FieldsOf =>
  (field) =>
    absentValue(field) === 'null'
      ? `(${previous}).${field}`
      : `coalesce((${previous}).${field}, ${absentValue(field)})`

export const currentFields =
  (alias: string): FieldsOf =>
  (field) =>
    `${alias}.${field}`

export const absentFields: FieldsOf = (field) => `${absentValue(field)}::${sqlTypeOf(field)}`

// Concatenating JSON as text takes PostgreSQL half as long as its JSON functions.
const jsonObject = (members: string[]) =>
  `('{' || concat_ws(',', ${members.join(', ')}) || '}')::jsonb`

const jsonValue = (field: RatingField, value: string) =>
  `coalesce(${sqlTypeOf(field) === 'text' ? `to_json(${value})` : value}::text, 'null')`

/**
 * SQL for `fields` of the history, such as `{"rate": {"from": 7.0, "to": 8.5}}`.
 *
 * @param fields fields that may differ
 */
export const fieldChanges = (fields: readonly RatingField[], before: FieldsOf, after: FieldsOf) =>
  jsonObject(
    fields.map(
      (field) => `
        case when ${before(field)} is distinct from ${after(field)} then
          '"${field}":{"from":' || ${jsonValue(field, before(field))} || ',"to":' || ${jsonValue(field, after(field))} || '}'
        end`,
    ),
  )

/**
 * SQL for the values by which a rating counts in totals, unless the rating is hidden. Must agree with the database
 * function `rating_counted`.
 *
 * @param fields fields that may differ; status and visibility are always included
 */
export const countedValues = (fields: readonly RatingField[], valueOf: FieldsOf) =>
  jsonObject([
    `case when not ${valueOf('status_private')} then '"status":"' || coalesce(${valueOf('status')}, 'NONE') || '"' end`,
    ...(fields.includes('rate_content')
      ? [
          `case when ${valueOf('rate_content')} <> '' and not ${valueOf('status_private')} then '"content":"REVIEW"' end`,
        ]
      : []),
    ...fields.filter(isScore).map((field) => `'"${field}":' || ${valueOf(field)}::text`),
  ])

/** A member of a JSON object: its name, and SQL for its value as JSON text. */
export type JsonMember = [name: string, json: string]

/** SQL for a JSON object as text. A null member would make the whole string null. */
export const jsonObjectSql = (members: readonly JsonMember[]) =>
  members
    .map(([name, json], index) => `'${index === 0 ? '{' : ','}"${name}":' || ${json}`)
    .join(' || ') + ` || '}'`

export const jsonTextOf = (value: string) => `coalesce(to_json(${value})::text, 'null')`

export const jsonTime = (column: string) => `'"' || ${isoTimeSql(column)} || '"'`

/** SQL for a score without trailing zeros. */
export const scoreText = (field: RatingField) => `trim_scale(rating.${field})`

function fieldText(field: RatingField): string {
  if (isScore(field)) return `coalesce(${scoreText(field)}::text, 'null')`
  if (field === 'rate_content') return 'to_json(rating.rate_content)::text'
  if (field === 'status') return jsonTextOf('rating.status')
  return `rating.${field}::text`
}

/** Members of a rating in the API (§2.12), without its id. */
export const ratingMembers = (kind: WorkKind): JsonMember[] => [
  ['created_at', jsonTime('rating.created_at')],
  ['updated_at', jsonTime('rating.updated_at')],
  ['like_count', 'rating.like_count'],
  ['dislike_count', 'rating.dislike_count'],
  ...ratingFieldsOf(kind).map((field): JsonMember => [field, fieldText(field)]),
]
