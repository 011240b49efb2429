import { CHARACTER_FIELDS } from '../../catalog/fields/character.ts'
import { columnsIn, type Fields } from '../../catalog/fields/field.ts'
import { GALGAME_FIELDS } from '../../catalog/fields/galgame.ts'
import { LIGHT_NOVEL_FIELDS, LIGHT_NOVEL_VOLUME_FIELDS } from '../../catalog/fields/light-novel.ts'
import { MANGA_FIELDS, MANGA_VOLUME_FIELDS } from '../../catalog/fields/manga.ts'
import { PERSON_FIELDS } from '../../catalog/fields/person.ts'
import { PRODUCER_FIELDS } from '../../catalog/fields/producer.ts'
import { TIME_FIELDS, WORK_FIELDS } from '../../catalog/fields/shared.ts'
import { RECORD_KINDS, type RecordKind } from './record-kinds.ts'

/** Fields of each kind, including those that all works share. */
export const FIELDS = {
  galgame: { ...WORK_FIELDS, ...GALGAME_FIELDS },
  light_novel: { ...WORK_FIELDS, ...LIGHT_NOVEL_FIELDS },
  manga: { ...WORK_FIELDS, ...MANGA_FIELDS },
  light_novel_volume: LIGHT_NOVEL_VOLUME_FIELDS,
  manga_volume: MANGA_VOLUME_FIELDS,
  person: PERSON_FIELDS,
  producer: PRODUCER_FIELDS,
  character: CHARACTER_FIELDS,
} satisfies Record<RecordKind, Fields>

/** Columns filled from records, each with the value to store if no source provides one. */
type Columns = Readonly<Record<string, unknown>>

const byKind = <Value>(make: (fields: Fields, kind: RecordKind) => Value) =>
  // as: the kinds of that table
  Object.fromEntries(
    Object.entries(FIELDS).map(([kind, fields]) => [kind, make(fields, kind as RecordKind)]),
  ) as Record<RecordKind, Value>

const columnsOf = (fields: Fields): Columns =>
  Object.fromEntries(columnsIn(fields).map(({ name, fallback }) => [name, fallback]))

/** All columns of a kind, those of `works` first. */
export const ALL_COLUMNS = byKind(columnsOf)

export const WORK_COLUMNS = columnsOf(WORK_FIELDS)

/** Columns of each kind's own table (record-kinds.ts). */
export const COLUMNS = byKind((fields, kind) =>
  RECORD_KINDS[kind].isWork ? withoutKeys(columnsOf(fields), WORK_COLUMNS) : columnsOf(fields),
)

/** Returns the columns without timestamps, which cannot be edited manually. */
export const withoutTimes = (columns: Columns) => withoutKeys(columns, TIME_FIELDS)

function withoutKeys(columns: Columns, others: object): Columns {
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => !Object.hasOwn(others, name)),
  )
}

/** Returns the default values as JSON, without nulls. */
export const defaultsJson = (columns: Columns) =>
  JSON.stringify(Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== null)))

const LIMITS = byKind(
  (fields) => new Map(columnsIn(fields).map(({ name, canHold }) => [name, canHold])),
)

/** Returns the names of the fields whose columns cannot hold the record's value. */
export const unstorableFields = (kind: RecordKind, fields: Record<string, unknown>): string[] =>
  Object.entries(fields).flatMap(([name, value]) =>
    LIMITS[kind].get(name)?.(value) === false ? [name] : [],
  )
