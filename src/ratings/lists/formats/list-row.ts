import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../../../http/wire/errors/fault.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import type { RatingChange } from '../../fields.ts'
import type { ProgressChange } from '../../progress/fields.ts'
import { NOTES_SCOPE, withoutNote } from '../../progress/note-access.ts'
import type { ImportReason } from './import-reason.ts'

/** Key by which a work is found: its id at a source, or its id in this catalog. */
export type LookupKey =
  | { kind: WorkKind; source: string; external_id: string }
  | { kind: WorkKind; work_id: number }

/** One row of a file: its work and rating fields, or the reason why it is rejected. */
export type ListRow = {
  /** Line number, for XML files. */
  line?: number
  /** Null if the row has no valid id. */
  externalId: string | null
  title: string
} & (
  | {
      /** Contains at least one key. */
      keys: LookupKey[]
      /** Fields that have not been validated yet: values may have any type. */
      fields: Record<string, unknown>
      /** Fields that are set only if the user has not rated the work. */
      onCreation?: RatingChange
      /** Progress in the work, already validated. */
      progress?: ProgressChange
      /** Whether the row contains no rating fields, so that no rating is created. */
      isOnlyProgress?: boolean
    }
  | Rejection
)

/** `SKIPPED` rows are outside the service's scope; `INVALID` rows violate a rule. */
type Rejection = { refused: 'SKIPPED' | 'INVALID'; reason: ImportReason }

type ListRemark = { reason: ImportReason; count: number }

export type ListFile = {
  rows: ListRow[]
  /** Ignored content, with the number of affected rows. */
  remarks: ListRemark[]
}

/** Maximum number of rows of a file. */
export const MAX_ROWS = 50_000

/** Maximum length, in characters, of a title in the report. */
const MAX_TITLE_LENGTH = 200

export const truncateTitle = (title: unknown) =>
  typeof title === 'string' ? title.trim().slice(0, MAX_TITLE_LENGTH).toWellFormed() : ''

/** @param field undefined if the fault concerns the whole row */
export const invalid = (fault: Fault, field?: string): Rejection => ({
  refused: 'INVALID',
  reason: { code: 'invalid', fault: { ...fault, ...(field !== undefined && { field }) } },
})

export const skipped = (reason: ImportReason): Rejection => ({ refused: 'SKIPPED', reason })

export const notAnObject: ListRow = {
  externalId: null,
  title: '',
  ...invalid({ code: 'schema.type', params: { type: 'object' } }),
}

export const newListFile = (): ListFile => ({ rows: [], remarks: [] })

/** Counts one row that contains something the import ignores. */
export function remark({ remarks }: ListFile, reason: ImportReason) {
  const known = remarks.find((other) => isDeepStrictEqual(other.reason, reason))
  if (known) known.count += 1
  else remarks.push({ reason, count: 1 })
}

/** Maximum number of different remarks, because a file may contain any number of unknown fields. */
const MAX_REMARKS = 50
const MAX_FIELD_LENGTH = 60

/** Counts a row with fields that this service does not store. Fields beyond the maximum are counted together. */
export function remarkIgnoredFields(file: ListFile, fields: Iterable<string>) {
  for (const name of new Set(fields)) {
    const field = name.slice(0, MAX_FIELD_LENGTH).toWellFormed()
    const isCounted =
      file.remarks.length < MAX_REMARKS ||
      file.remarks.some(
        ({ reason }) => reason.code === 'not_kept' && reason.params?.field === field,
      )
    remark(file, { code: 'not_kept', params: { field: isCounted ? field : '…' } })
  }
}

/** Omits private notes, for callers that may not write them, and adds a remark about them. */
export function omitNotes(file: ListFile): ListFile {
  const read = { rows: [...file.rows], remarks: [...file.remarks] }
  for (const [index, row] of file.rows.entries()) {
    if ('refused' in row || row.progress?.private_note === undefined) continue
    read.rows[index] = { ...row, progress: withoutNote(row.progress) }
    remarkIgnoredFields(read, [`private_note, which requires the scope ${NOTES_SCOPE}`])
  }
  return read
}

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` if the file has too many rows */
export function addRow({ rows }: ListFile, row: ListRow) {
  if (rows.length >= MAX_ROWS) throw fileFault('file.too_many_rows', { max: MAX_ROWS })
  rows.push(row)
}
