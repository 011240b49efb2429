import type { WorkTypeName } from '../../../catalog/work-types.ts'
import { DEFAULT_RATING, type RatingChange } from '../../fields.ts'
import type { StoredRating } from './import-queries.ts'
import type { ImportReason } from '../formats/import-reason.ts'
import type { ListRow } from '../formats/list-row.ts'

export const ROW_OUTCOMES = [
  'CREATED',
  'UPDATED',
  'UNCHANGED',
  'KEPT',
  'UNMATCHED',
  'INVALID',
  'SKIPPED',
] as const
export type RowOutcome = (typeof ROW_OUTCOMES)[number]

export type FieldChanges = Record<string, { from: unknown; to: unknown }>

export type RowReport = {
  /** Row number in the file, starting at 1. */
  row: number
  line?: number
  external_id: string | null
  title: string
  outcome: RowOutcome
  work_type?: WorkTypeName
  work_id?: number
  reason?: ImportReason
  changes?: FieldChanges
  /** Stored values that differ from the file and are kept. */
  differences?: FieldChanges
}

/** Defaults of a new rating, without the status, so that any status counts as a change, as in the history. */
const { status: DEFAULT_STATUS, ...BLANK } = DEFAULT_RATING

function changesOf(stored: RatingChange | undefined, change: RatingChange): FieldChanges {
  const before: Partial<Record<string, unknown>> = stored ?? BLANK
  return Object.fromEntries(
    Object.entries(change)
      .map(([field, to]) => [field, { from: before[field] ?? null, to }] as const)
      .filter(([, { from, to }]) => from !== to),
  )
}

/**
 * Decides what to do with a row whose work was found.
 *
 * @param overwrite whether to replace stored values
 */
export function decideOutcome(
  stored: StoredRating | undefined,
  { change, onCreation }: { change: RatingChange; onCreation: RatingChange },
  overwrite: boolean,
): {
  outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'KEPT'
  change: RatingChange
  changes: FieldChanges
} {
  if (!stored) {
    const created = { status: DEFAULT_STATUS, ...onCreation, ...change }
    return { outcome: 'CREATED', change: created, changes: changesOf(undefined, created) }
  }
  const changes = changesOf(stored, change)
  if (Object.keys(changes).length === 0) return { outcome: 'UNCHANGED', change, changes }
  return { outcome: overwrite ? 'UPDATED' : 'KEPT', change, changes }
}

/**
 * Returns the part of a report that all rows have in common.
 *
 * @param index index of the row, starting at 0
 */
export const rowReport = ({ line, externalId, title }: ListRow, index: number) => ({
  row: index + 1,
  ...(line !== undefined && { line }),
  external_id: externalId,
  title,
})

/** Reason for skipping a row if an earlier row names the same work. */
export const duplicateReason = ({ line, externalId, title }: ListRow): ImportReason =>
  line === undefined
    ? { code: 'repeated', params: { other: `${externalId ?? ''} ${title}`.trim() } }
    : { code: 'repeated_line', params: { line } }
