import { ENTRY_KINDS, isWorkKind, KINDS, WORK_KINDS } from '../../catalog/kinds.ts'

/**
 * What a source may have records of: entries, and volumes, which have rows and ids but are no entries. They come and go
 * with the list of the work that names them.
 */
export const RECORD_KINDS = {
  ...KINDS,
  light_novel_volume: { table: 'light_novel_volumes', isWork: false },
  manga_volume: { table: 'manga_volumes', isWork: false },
} as const satisfies Record<string, { table: string; isWork: boolean }>

export type RecordKind = keyof typeof RECORD_KINDS

/** The table whose sequence gives the ids of a kind: works share one. */
export const idTableOf = (kind: RecordKind) =>
  RECORD_KINDS[kind].isWork ? 'works' : RECORD_KINDS[kind].table

/** The field without which there is no entry; a volume may be known by its number alone. */
export function nameFieldOf(kind: RecordKind): string | null {
  const row = RECORD_KINDS[kind]
  return 'shown' in row ? row.shown.title : null
}

/** The kinds whose rows are derived from their own records alone, those that works refer to first. */
export const DERIVED_KINDS = [...ENTRY_KINDS.filter((kind) => !isWorkKind(kind)), ...WORK_KINDS]
