import { setImmediate } from 'node:timers/promises'
import { workTypeOf } from '../../../catalog/work-types.ts'
import type { Database } from '../../../db/database.ts'
import { inLongTransaction } from '../../../db/server/long-transaction.ts'
import { DEFAULT_RATING, type RatingChange } from '../../fields.ts'
import { findLastChangeId } from '../../own/history-queries.ts'
import type { ProgressChange } from '../../progress/fields.ts'
import { findProgressOf, listLabels } from '../../progress/queries.ts'
import type { ProgressWrite } from '../../progress/write-queries.ts'
import { saveProgressRows } from './progress-queries.ts'
import {
  findStoredRatings,
  lockRatings,
  matchWorks,
  saveImportedRatings,
  type MatchedWork,
  type RatingWrite,
} from './import-queries.ts'
import type { ValidateRow } from './row-validator.ts'
import type { ListRow, LookupKey } from '../formats/list-row.ts'
import { duplicateReason, rowReport, type RowReport } from './outcome.ts'
import { planRow } from './plan-row.ts'
import type { ImportQueue } from './import-queue.ts'

type ImportOptions = {
  accountId: number
  /** App to store in the history; null if the user imports on a page of the site. */
  clientId: string | null
  dryRun: boolean
  overwrite: boolean
  /**
   * Runs in the same transaction after the user's ratings are locked. To write nothing, it may throw or not call
   * `write`.
   */
  wrapWrite?: (trx: Database, write: () => Promise<RowReport[]>) => Promise<RowReport[]>
}

type PlanOptions = ImportOptions & {
  /** First row of each work so far; later rows of the same work are skipped. */
  firstRows: Map<number, ListRow>
  /** Labels that the user has, including those that the import adds. */
  labels: Set<string>
}

/** Number of rows per statement that reads, and per statement that writes. */
const READ_BATCH_SIZE = 500
export const WRITE_BATCH_SIZE = 250
/**
 * Statement timeout, in milliseconds. A statement may have to wait for another process that writes the same user's
 * ratings.
 */
export const MAX_STATEMENT_MS = 30_000

type ValidRow = {
  index: number
  row: ListRow
  keys: LookupKey[]
  change: RatingChange
  onCreation: RatingChange
  progress: ProgressChange
  isOnlyProgress: boolean
}

type Plan = { reports: RowReport[]; writes: RatingWrite[]; progress: ProgressWrite[] }

/**
 * Imports a list in one transaction. A dry run plans the import in the same way, without writing.
 *
 * @returns the outcome of every row, in the order of the file
 * @throws {ApiError} `COMMON_CONFLICT` if the catalog has changed in the meantime
 */
export async function importList(
  db: Database,
  rows: ListRow[],
  {
    validateRow,
    imports,
    ...options
  }: ImportOptions & { validateRow: ValidateRow; imports: ImportQueue },
): Promise<RowReport[]> {
  const { reports, valid } = await validateAll(rows, validateRow)
  if (options.dryRun) return (await planAll(db, reports, valid, options)).reports
  return imports.enqueue(options.accountId, () => writeAll(db, reports, valid, options))
}

async function writeAll(
  db: Database,
  reports: RowReport[],
  valid: ValidRow[],
  options: ImportOptions,
): Promise<RowReport[]> {
  return inLongTransaction(db, MAX_STATEMENT_MS, async (trx) => {
    await lockRatings(trx, options.accountId)
    const write = async () => {
      const plan = await planAll(trx, reports, valid, options)
      const last = await findLastChangeId(trx, options.accountId)
      for (const writes of batches(plan.writes, WRITE_BATCH_SIZE)) {
        await saveImportedRatings(trx, options.accountId, options.clientId, writes)
        await setImmediate()
      }
      for (const writes of batches(plan.progress, WRITE_BATCH_SIZE)) {
        await saveProgressRows(trx, options.accountId, options.clientId, { writes, after: last })
        await setImmediate()
      }
      return plan.reports
    }
    return options.wrapWrite ? options.wrapWrite(trx, write) : write()
  })
}

export const batches = <Item>(items: Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

async function validateAll(rows: ListRow[], validateRow: ValidateRow) {
  const reports: RowReport[] = []
  const valid: ValidRow[] = []
  for (const [index, row] of rows.entries()) {
    if (index % READ_BATCH_SIZE === READ_BATCH_SIZE - 1) await setImmediate()
    const report = rowReport(row, index)
    if ('refused' in row) {
      reports.push({ ...report, outcome: row.refused, reason: row.reason })
      continue
    }
    const { keys, fields, onCreation = {}, progress = {}, isOnlyProgress = false } = row
    // A row with several possible kinds has only fields that all of them share.
    const validated = validateRow(keys[0]?.kind ?? 'manga', fields)
    if ('reason' in validated) {
      reports.push({ ...report, outcome: 'INVALID', reason: validated.reason })
      continue
    }
    const { change } = validated
    valid.push({ index, row, keys, change, onCreation, progress, isOnlyProgress })
    reports.push({ ...report, outcome: 'UNMATCHED', reason: { code: 'unmatched' } })
  }
  return { reports, valid }
}

async function planAll(
  db: Database,
  validated: RowReport[],
  valid: ValidRow[],
  options: ImportOptions,
): Promise<Plan> {
  const plan: Plan = { reports: [...validated], writes: [], progress: [] }
  const labels = new Set((await listLabels(db, options.accountId)).map(({ label }) => label))
  const firstRows = new Map<number, ListRow>()
  for (const batch of batches(valid, READ_BATCH_SIZE)) {
    const works = await matchWorks(db, batch)
    const matched = batch.flatMap((row) => {
      const work = works.get(row.index)
      return work ? [{ ...row, work }] : []
    })
    await planBatch(db, plan, matched, { firstRows, labels, ...options })
    await setImmediate()
  }
  return plan
}

async function planBatch(
  db: Database,
  plan: Plan,
  matched: (ValidRow & { work: MatchedWork })[],
  { accountId, overwrite, firstRows, labels }: PlanOptions,
) {
  const ids = matched.map(({ work }) => work.workId)
  const stored = await findStoredRatings(db, accountId, ids)
  const progressOf = await findProgressOf(db, accountId, ids)
  for (const { index, row, work, ...sent } of matched) {
    const report = {
      ...rowReport(row, index),
      work_type: workTypeOf(work.kind),
      work_id: work.workId,
    }
    const earlier = firstRows.get(work.workId)
    if (earlier) {
      plan.reports[index] = { ...report, outcome: 'SKIPPED', reason: duplicateReason(earlier) }
      continue
    }
    firstRows.set(work.workId, row)
    const rating = stored.get(work.workId)
    const progress = progressOf.get(work.workId)
    const planned = planRow(sent, { rating, progress, labels, overwrite })
    const { outcome, changes, differences } = planned
    const isWritten = outcome === 'CREATED' || outcome === 'UPDATED'
    plan.reports[index] = {
      ...report,
      outcome,
      ...(isWritten && { changes }),
      ...(Object.keys(differences).length > 0 && { differences }),
    }
    if (planned.rating)
      plan.writes.push({ work, rating: { ...(rating ?? DEFAULT_RATING), ...planned.rating } })
    if (Object.keys(planned.progress).length > 0)
      plan.progress.push({ work, stored: progress, change: planned.progress })
  }
}
