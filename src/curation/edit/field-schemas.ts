import { byKind, type EntryKind } from '../../catalog/kinds.ts'
import { columnsIn } from '../../catalog/fields/field.ts'
import { TIME_FIELDS } from '../../catalog/fields/shared.ts'
import { FIELDS } from '../../sources/records/columns.ts'

/** Schemas of the fields that can be set by hand. Timestamps are excluded. */
export const FIELD_SCHEMAS = byKind((kind: EntryKind) =>
  Object.fromEntries(
    columnsIn(FIELDS[kind]).flatMap(({ name, stated }) =>
      Object.hasOwn(TIME_FIELDS, name) ? [] : [[name, stated] as const],
    ),
  ),
)
