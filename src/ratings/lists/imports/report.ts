import { importReasonMessage } from '../formats/import-reason.ts'
import type { ListFile } from '../formats/list-row.ts'
import { ROW_OUTCOMES, type RowOutcome, type RowReport } from './outcome.ts'

/** Maximum number of reported rows among those that do not need the user's attention. */
export const MAX_PLAIN_ROWS = 200

const ALWAYS_REPORTED = new Set<RowOutcome>(['UNMATCHED', 'INVALID', 'SKIPPED'])

export function countRowOutcomes(rows: RowReport[]): Record<string, number> {
  const count = (outcome: RowOutcome) => rows.filter((row) => row.outcome === outcome).length
  return {
    total: rows.length,
    ...Object.fromEntries(ROW_OUTCOMES.map((outcome) => [outcome.toLowerCase(), count(outcome)])),
  }
}

/** Returns the report of an import: `data` of the response. */
export function toReport(
  { remarks }: ListFile,
  rows: RowReport[],
  options: { source: string; dry_run: boolean; overwrite: boolean },
) {
  let plain = 0
  const reported = rows.filter(
    ({ outcome }) => ALWAYS_REPORTED.has(outcome) || (plain += 1) <= MAX_PLAIN_ROWS,
  )
  return {
    ...options,
    counts: countRowOutcomes(rows),
    remarks: remarks.map(({ reason, count }) => ({ remark: importReasonMessage(reason), count })),
    rows: reported.map(({ reason, ...row }) => ({
      ...row,
      ...(reason && { reason: importReasonMessage(reason) }),
    })),
    rows_left_out: rows.length - reported.length,
  }
}
