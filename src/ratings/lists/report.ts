import type { ListFile } from './list-row.ts'
import { OUTCOMES, type Outcome, type RowReport } from './outcome.ts'

/** Rows of the report beside those that need the reader's attention. */
export const MAX_PLAIN_ROWS = 200

/** Outcomes that are told of every row: what did not go in. */
const TOLD = new Set<Outcome>(['UNMATCHED', 'INVALID', 'SKIPPED'])

/** How often each outcome is. */
function countOutcomes(rows: RowReport[]): Record<string, number> {
  const count = (outcome: Outcome) => rows.filter((row) => row.outcome === outcome).length
  return {
    total: rows.length,
    ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome.toLowerCase(), count(outcome)])),
  }
}

/** The report of an import (`data` of the answer). */
export function toReport(
  { remarks }: ListFile,
  rows: RowReport[],
  asked: { source: string; dry_run: boolean; overwrite: boolean },
) {
  let plain = 0
  const told = rows.filter(({ outcome }) => TOLD.has(outcome) || (plain += 1) <= MAX_PLAIN_ROWS)
  return {
    ...asked,
    counts: countOutcomes(rows),
    remarks: [...remarks].map(([remark, count]) => ({ remark, count })),
    rows: told,
    rows_left_out: rows.length - told.length,
  }
}
