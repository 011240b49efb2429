import { setImmediate } from 'node:timers/promises'
import { workTypeOf } from '../../../catalog/work-types.ts'
import type { Database } from '../../../db/database.ts'
import { inLongTransaction } from '../../../db/server/long-transaction.ts'
import { DEFAULT_RATING, type RatingChange } from '../../fields.ts'
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
import { decideOutcome, duplicateReason, rowReport, type RowReport } from './outcome.ts'
import type { ImportQueue } from './import-queue.ts'

export type ImportOptions = {
  accountId: number
  /** The app that imports, for the history; null: the reader, on a page of ours. */
  clientId: string | null
  dryRun: boolean
  overwrite: boolean
  /**
   * What else belongs in the transaction. It gets hold of the reader's records before, and may throw or answer without
   * having called `write`, which then writes nothing.
   */
  around?: (trx: Database, write: () => Promise<RowReport[]>) => Promise<RowReport[]>
}

/** Rows in one statement that reads, and in one that writes, after which others get their turn. */
const BATCH = 500
const WRITES = 250
/** For one statement: it may wait for what another process writes for the same reader. In milliseconds. */
export const MAX_STATEMENT_MS = 30_000

/** A row the rules admit. */
type ValidRow = {
  place: number
  row: ListRow
  keys: LookupKey[]
  change: RatingChange
  onCreation: RatingChange
}

/** What becomes of every row, in the order of the file, and what is to be written for it. */
type Plan = { reports: RowReport[]; writes: RatingWrite[] }

/**
 * Takes over a list, all of it or nothing, or says what that would do: a dry run plans and does not write, and
 * everything else is the same.
 *
 * @returns what becomes of every row, in the order of the file
 * @throws {ApiError} `COMMON_CONFLICT` when the catalog changed meanwhile
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

/** All of it or nothing. */
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
      for (const writes of batches(plan.writes, WRITES)) {
        await saveImportedRatings(trx, options.accountId, options.clientId, writes)
        await setImmediate()
      }
      return plan.reports
    }
    return options.around ? options.around(trx, write) : write()
  })
}

const batches = <Item>(items: Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

/** Sorts out the rows that may be recorded; the report of each other one has the reason. */
async function validateAll(rows: ListRow[], validateRow: ValidateRow) {
  const reports: RowReport[] = []
  const valid: ValidRow[] = []
  for (const [place, row] of rows.entries()) {
    if (place % BATCH === BATCH - 1) await setImmediate()
    const report = rowReport(row, place)
    if ('refused' in row) {
      reports.push({ ...report, outcome: row.refused, reason: row.reason })
      continue
    }
    const { keys, fields, onCreation = {} } = row
    // A row that may be of several kinds has only fields that all of them have.
    const validated = validateRow(keys[0]?.kind ?? 'manga', fields)
    if ('reason' in validated) {
      reports.push({ ...report, outcome: 'INVALID', reason: validated.reason })
      continue
    }
    valid.push({ place, row, keys, change: validated.change, onCreation })
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
  const plan: Plan = { reports: [...validated], writes: [] }
  const firstRows = new Map<number, ListRow>()
  for (const batch of batches(valid, BATCH)) {
    const works = await matchWorks(db, batch)
    const matched = batch.flatMap((row) => {
      const work = works.get(row.place)
      return work ? [{ ...row, work }] : []
    })
    await planBatch(db, plan, matched, firstRows, options)
    await setImmediate()
  }
  return plan
}

/** @param firstRows of each work so far: only that one counts */
async function planBatch(
  db: Database,
  plan: Plan,
  matched: (ValidRow & { work: MatchedWork })[],
  firstRows: Map<number, ListRow>,
  { accountId, overwrite }: ImportOptions,
) {
  const recorded = await findStoredRatings(
    db,
    accountId,
    matched.map(({ work }) => work.workId),
  )
  for (const { place, row, work, change: sent, onCreation } of matched) {
    const report = {
      ...rowReport(row, place),
      work_type: workTypeOf(work.kind),
      work_id: work.workId,
    }
    const earlier = firstRows.get(work.workId)
    if (earlier) {
      plan.reports[place] = { ...report, outcome: 'SKIPPED', reason: duplicateReason(earlier) }
      continue
    }
    firstRows.set(work.workId, row)
    const before = recorded.get(work.workId)
    const { outcome, change, changes } = decideOutcome(
      before,
      { change: sent, onCreation },
      overwrite,
    )
    const isWritten = outcome === 'CREATED' || outcome === 'UPDATED'
    plan.reports[place] = { ...report, outcome, ...(isWritten && { changes }) }
    if (isWritten) plan.writes.push({ work, rating: { ...(before ?? DEFAULT_RATING), ...change } })
  }
}
