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

/** Field → what it is and what it becomes. */
export type FieldChanges = Record<string, { from: unknown; to: unknown }>

/** What becomes of a row, as in the report. */
export type RowReport = {
  /** Its place in the file, from 1. */
  row: number
  line?: number
  external_id: string | null
  title: string
  outcome: RowOutcome
  work_type?: WorkTypeName
  work_id?: number
  reason?: ImportReason
  changes?: FieldChanges
}

/** What a new record is compared with, as in the history: whatever status it begins with is a change. */
const { status: DEFAULT_STATUS, ...BLANK } = DEFAULT_RATING

/** What a change changes, in what is recorded or in a new record. */
function changesOf(recorded: RatingChange | undefined, change: RatingChange): FieldChanges {
  const before: Partial<Record<string, unknown>> = recorded ?? BLANK
  return Object.fromEntries(
    Object.entries(change)
      .map(([field, to]) => [field, { from: before[field] ?? null, to }] as const)
      .filter(([, { from, to }]) => from !== to),
  )
}

/**
 * What becomes of a row whose work was found.
 *
 * @param overwrite whether what is recorded already gives way
 */
export function decideOutcome(
  recorded: StoredRating | undefined,
  { change, onCreation }: { change: RatingChange; onCreation: RatingChange },
  overwrite: boolean,
): {
  outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'KEPT'
  change: RatingChange
  changes: FieldChanges
} {
  if (!recorded) {
    const created = { status: DEFAULT_STATUS, ...onCreation, ...change }
    return { outcome: 'CREATED', change: created, changes: changesOf(undefined, created) }
  }
  const changes = changesOf(recorded, change)
  if (Object.keys(changes).length === 0) return { outcome: 'UNCHANGED', change, changes }
  return { outcome: overwrite ? 'UPDATED' : 'KEPT', change, changes }
}

/** What every report of a row begins with. @param place from 0 */
export const rowReport = ({ line, externalId, title }: ListRow, place: number) => ({
  row: place + 1,
  ...(line !== undefined && { line }),
  external_id: externalId,
  title,
})

/** Why a row does not count: another row is about the same work. */
export const duplicateReason = ({ line, externalId, title }: ListRow): ImportReason =>
  line === undefined
    ? { code: 'repeated', params: { other: `${externalId ?? ''} ${title}`.trim() } }
    : { code: 'repeated_line', params: { line } }
