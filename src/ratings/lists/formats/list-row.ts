import { isDeepStrictEqual } from 'node:util'
import type { Fault } from '../../../http/wire/errors/fault.ts'
import { fileFault } from '../../../http/wire/errors/feature-refusals.ts'
import type { WorkKind } from '../../../catalog/kinds.ts'
import type { RatingChange } from '../../fields.ts'
import type { ImportReason } from './import-reason.ts'

/** By which a work is looked up: its id at a source, or its own id here when it is known by nothing else. */
export type LookupKey =
  | { kind: WorkKind; source: string; external_id: string }
  | { kind: WorkKind; work_id: number }

/** One row of a file: of which work it is, and what it records in our fields, or why nothing of it can be used. */
export type ListRow = {
  /** In an XML file. */
  line?: number
  /** Null when the row has none that could be one. */
  externalId: string | null
  title: string
} & (
  | {
      /** At least one; any of them may find the work. */
      keys: LookupKey[]
      /** Not validated yet: may be of any type and out of range. */
      fields: Record<string, unknown>
      /** Only for a work the reader has no record of. */
      onCreation?: RatingChange
    }
  | Refusal
)

/** `SKIPPED`: it is not for us. `INVALID`: it cannot be what it should be. */
export type Refusal = { refused: 'SKIPPED' | 'INVALID'; reason: ImportReason }

type ListRemark = { reason: ImportReason; count: number }

export type ListFile = {
  rows: ListRow[]
  /** What the file holds that is not taken over, with the number of rows that have it. */
  remarks: ListRemark[]
}

/** Rows of a file. */
export const MAX_ROWS = 50_000

/** Characters of a title in the report. */
const MAX_TITLE = 200

/** A title as the report repeats it. */
export const truncateTitle = (title: unknown) =>
  typeof title === 'string' ? title.trim().slice(0, MAX_TITLE).toWellFormed() : ''

/** @param field undefined if the fault concerns the whole row */
export const invalid = (fault: Fault, field?: string): Refusal => ({
  refused: 'INVALID',
  reason: { code: 'invalid', fault: { ...fault, ...(field !== undefined && { field }) } },
})
export const skipped = (reason: ImportReason): Refusal => ({ refused: 'SKIPPED', reason })

export const newListFile = (): ListFile => ({ rows: [], remarks: [] })

/** Counts one row that has something which is not taken over. */
export function remark({ remarks }: ListFile, reason: ImportReason) {
  const known = remarks.find((other) => isDeepStrictEqual(other.reason, reason))
  if (known) known.count += 1
  else remarks.push({ reason, count: 1 })
}

/** Counts a row with fields that this service does not store. */
export function remarkIgnoredFields(file: ListFile, fields: Iterable<string>) {
  for (const field of new Set(fields)) remark(file, { code: 'not_kept', params: { field } })
}

/** Adds a row. @throws {ApiError} `COMMON_VALIDATION_FAILED` when there are too many */
export function addRow({ rows }: ListFile, row: ListRow) {
  if (rows.length >= MAX_ROWS) throw fileFault('file.too_many_rows', { max: MAX_ROWS })
  rows.push(row)
}
