import { setImmediate } from 'node:timers/promises'
import type { Database } from '../../db/database.ts'
import type { RatingChange } from '../fields.ts'
import {
  createImported,
  findRecorded,
  holdRecords,
  matchWorks,
  updateImported,
  type MatchedWork,
  type Write,
} from './import-queries.ts'
import type { ValidateRow } from './row-validator.ts'
import type { ListRow, WorkKey } from './list-row.ts'
import { decide, nameOf, reportOf, type RowReport } from './outcome.ts'
import type { ImportQueue } from './import-queue.ts'

export type ImportOptions = { accountId: number; clientId: string; dryRun: boolean; overwrite: boolean }

/** Rows in one statement that reads, and in one that writes, after which others get their turn. */
const BATCH = 500
const WRITES = 100

/** A row the rules admit. */
type GoodRow = {
  place: number
  row: ListRow
  keys: WorkKey[]
  change: RatingChange
  onCreation: RatingChange
}

/** What becomes of every row, in the order of the file, and what is to be written for it. */
type Plan = { reports: RowReport[]; created: Write[]; updated: Write[] }

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
  { judge, imports, ...options }: ImportOptions & { judge: ValidateRow; imports: ImportQueue },
): Promise<RowReport[]> {
  const { reports, good } = await judgeAll(rows, judge)
  if (options.dryRun) return (await planAll(db, reports, good, options)).reports
  return imports.enqueue(options.accountId, () => writeAll(db, reports, good, options))
}

/** All of it or nothing. */
async function writeAll(
  db: Database,
  reports: RowReport[],
  good: GoodRow[],
  options: ImportOptions,
): Promise<RowReport[]> {
  return db.transaction().execute(async (trx) => {
    await holdRecords(trx, options.accountId, options.clientId)
    const plan = await planAll(trx, reports, good, options)
    for (const created of batches(plan.created, WRITES)) {
      await createImported(trx, options.accountId, created)
      await setImmediate()
    }
    for (const updated of batches(plan.updated, WRITES)) {
      await updateImported(trx, options.accountId, updated)
      await setImmediate()
    }
    return plan.reports
  })
}

const batches = <Item>(items: Item[], size: number) =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )

/** Which rows say something that may be recorded; of the others it is said why not. */
async function judgeAll(rows: ListRow[], judge: ValidateRow) {
  const reports: RowReport[] = []
  const good: GoodRow[] = []
  for (const [place, row] of rows.entries()) {
    if (place % BATCH === BATCH - 1) await setImmediate()
    const report = reportOf(row)
    if ('refused' in row) {
      reports.push({ ...report, outcome: row.refused, reason: row.reason })
      continue
    }
    const { keys, says, onCreation = {} } = row
    // Rows that may be of several kinds say only what all kinds have.
    const verdict = judge(keys[0]?.kind ?? 'manga', says)
    if ('reason' in verdict) {
      reports.push({ ...report, outcome: 'INVALID', reason: verdict.reason })
      continue
    }
    good.push({ place, row, keys, change: verdict.change, onCreation })
    reports.push({ ...report, outcome: 'UNMATCHED', reason: 'No work of this catalog is known by that id' })
  }
  return { reports, good }
}

async function planAll(
  db: Database,
  judged: RowReport[],
  good: GoodRow[],
  options: ImportOptions,
): Promise<Plan> {
  const plan: Plan = { reports: [...judged], created: [], updated: [] }
  const first = new Map<number, ListRow>()
  for (const batch of batches(good, BATCH)) {
    const works = await matchWorks(db, batch)
    const matched = batch.flatMap((row) => {
      const work = works.get(row.place)
      return work ? [{ ...row, work }] : []
    })
    await planBatch(db, plan, matched, first, options)
    await setImmediate()
  }
  return plan
}

/** @param first the first row of each work so far: the file has one word on a work */
async function planBatch(
  db: Database,
  plan: Plan,
  matched: (GoodRow & { work: MatchedWork })[],
  first: Map<number, ListRow>,
  { accountId, overwrite }: ImportOptions,
) {
  const recorded = await findRecorded(
    db,
    accountId,
    matched.map(({ work }) => work.workId),
  )
  for (const { place, row, work, ...said } of matched) {
    const report = { ...reportOf(row), work_type: work.kind, work_id: work.workId }
    const earlier = first.get(work.workId)
    if (earlier) {
      const reason = `The same work as ${nameOf(earlier)}, which counts`
      plan.reports[place] = { ...report, outcome: 'SKIPPED', reason }
      continue
    }
    first.set(work.workId, row)
    const { outcome, change, changes } = decide(recorded.get(work.workId), said, overwrite)
    plan.reports[place] = {
      ...report,
      outcome,
      ...((outcome === 'CREATED' || outcome === 'UPDATED') && { changes }),
    }
    if (outcome === 'CREATED') plan.created.push({ work, change })
    if (outcome === 'UPDATED') plan.updated.push({ work, change })
  }
}
