import { ENTRY_KINDS, isWorkKind, KINDS, WORK_KINDS } from '../../catalog/kinds.ts'

/**
 * Kinds of records: entries and volumes. Volumes have rows and ids but are not entries; a volume exists while the list
 * of a work contains it.
 */
export const RECORD_KINDS = {
  ...KINDS,
  light_novel_volume: { table: 'light_novel_volumes', isWork: false },
  manga_volume: { table: 'manga_volumes', isWork: false },
} as const satisfies Record<string, { table: string; isWork: boolean }>

export type RecordKind = keyof typeof RECORD_KINDS
// as: the keys of this table
export const RECORD_KIND_NAMES = Object.keys(RECORD_KINDS) as RecordKind[]

/** Returns the table whose sequence assigns the ids of a kind. All works share one sequence. */
export const idTableOf = (kind: RecordKind) =>
  RECORD_KINDS[kind].isWork ? 'works' : RECORD_KINDS[kind].table

/** Returns the field that a record must have. Volumes may have only a number, so no field is required. */
export function nameFieldOf(kind: RecordKind): string | null {
  const row = RECORD_KINDS[kind]
  return 'shown' in row ? row.shown.title : null
}

/** Kinds whose rows are derived only from their own records. Kinds that other kinds refer to come first. */
export const DERIVED_KINDS = [...ENTRY_KINDS.filter((kind) => !isWorkKind(kind)), ...WORK_KINDS]
