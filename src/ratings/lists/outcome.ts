import type { WorkKind } from '../../catalog/kinds.ts'
import type { RatingChange } from '../fields.ts'
import type { Recorded } from './import-queries.ts'
import type { ListRow } from './list-row.ts'

export const OUTCOMES = [
  'CREATED',
  'UPDATED',
  'UNCHANGED',
  'KEPT',
  'UNMATCHED',
  'INVALID',
  'SKIPPED',
] as const
export type Outcome = (typeof OUTCOMES)[number]

/** Field → what it is and what it becomes. */
export type Changes = Record<string, { from: unknown; to: unknown }>

/** What becomes of a row, as the report tells it. */
export type RowReport = {
  line?: number
  external_id: string | null
  title: string
  outcome: Outcome
  work_type?: WorkKind
  work_id?: number
  reason?: string
  changes?: Changes
}

/** Of a record nobody has made yet: its status is whatever it comes with. */
const BLANK: RatingChange = {
  status_private: false,
  rate_content: '',
  is_spoiler: false,
  time_to_finish_minutes: 0,
}

/** What a change changes, in what is recorded or in a new record. */
function changesOf(recorded: RatingChange | undefined, change: RatingChange): Changes {
  const before: Partial<Record<string, unknown>> = recorded ?? BLANK
  return Object.fromEntries(
    Object.entries(change)
      .map(([field, to]) => [field, { from: before[field] ?? null, to }] as const)
      .filter(([, { from, to }]) => from !== to),
  )
}

/**
 * What becomes of what a row says of a work.
 *
 * @param overwrite whether what is recorded already gives way
 */
export function decide(
  recorded: Recorded | undefined,
  { change, onCreation }: { change: RatingChange; onCreation: RatingChange },
  overwrite: boolean,
): { outcome: 'CREATED' | 'UPDATED' | 'UNCHANGED' | 'KEPT'; change: RatingChange; changes: Changes } {
  if (!recorded) {
    const created = { status: 'GOING' as const, ...onCreation, ...change }
    return { outcome: 'CREATED', change: created, changes: changesOf(undefined, created) }
  }
  const changes = changesOf(recorded, change)
  if (Object.keys(changes).length === 0) return { outcome: 'UNCHANGED', change, changes }
  return { outcome: overwrite ? 'UPDATED' : 'KEPT', change, changes }
}

/** What every report of a row begins with. */
export const reportOf = ({ line, externalId, title }: ListRow) => ({
  ...(line !== undefined && { line }),
  external_id: externalId,
  title,
})

/** How another row of the same work is named. */
export const nameOf = ({ line, externalId, title }: ListRow) =>
  line === undefined ? `${externalId ?? 'without an id'} ${title}`.trim() : `line ${line}`
