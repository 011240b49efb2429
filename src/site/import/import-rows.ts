import type { EntrySummary } from '../../browse/summary.ts'
import { listSummaries } from '../../browse/summary-queries.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { kindOfWorkType } from '../../catalog/work-types.ts'
import type { Database } from '../../db/database.ts'
import { possibleKinds } from '../../ratings/lists/imports/chosen-works.ts'
import type { StoredImport } from '../../ratings/lists/imports/stored-import-queries.ts'
import type { RowReport } from '../../ratings/lists/imports/outcome.ts'
import type { PlannedImport } from '../../ratings/lists/imports/stored-import.ts'
import { searchEntries, type Searcher } from '../../search/search.ts'
import { MAX_QUERY_LENGTH } from '../../search/text/parse-query.ts'
import { startOf } from '../../kernel/printable.ts'

/** Row whose ids match no work. */
export type UnmatchedRow = { report: RowReport; kinds: WorkKind[] }

/** Rows of a file, grouped by how the second step treats them. */
export type SortedRows = {
  matched: number
  unmatched: UnmatchedRow[]
  /** Matched to a work that the user chose. */
  chosen: RowReport[]
  /** Skipped by the user. */
  skipped: RowReport[]
  /** Rows that are invalid, or whose kind of work is not supported. */
  unusable: RowReport[]
}

export function sortRows({ file, reports }: PlannedImport, { chosen }: StoredImport): SortedRows {
  const sorted: SortedRows = { matched: 0, unmatched: [], chosen: [], skipped: [], unusable: [] }
  for (const report of reports) {
    const byHand = chosen[String(report.row)]
    const row = file.rows[report.row - 1]
    if (report.outcome === 'INVALID' || report.outcome === 'SKIPPED') sorted.unusable.push(report)
    else if (report.outcome === 'UNMATCHED' && byHand === null) sorted.skipped.push(report)
    else if (report.outcome === 'UNMATCHED')
      sorted.unmatched.push({ report, kinds: row ? possibleKinds(row) : [] })
    else if (typeof byHand === 'number') sorted.chosen.push(report)
    else sorted.matched += 1
  }
  return sorted
}

/** Maximum number of search results offered for a row. */
const MAX_OFFERS = 4

/** Searches for a work for each row, by its title or by the query the user entered instead. */
export async function findOffers(
  searcher: Searcher,
  rows: { row: number; q: string; kinds: WorkKind[] }[],
  seesNsfw: boolean,
): Promise<Map<number, EntrySummary[]>> {
  const found = await Promise.all(
    rows.map(async ({ row, q, kinds }) => {
      const query = startOf(q, MAX_QUERY_LENGTH)
      const options = { kinds, seesNsfw, limit: MAX_OFFERS, counted: false }
      const { hits } = query === '' ? { hits: [] } : await searchEntries(searcher, query, options)
      return { row, hits: hits.slice(0, MAX_OFFERS) }
    }),
  )
  const entries = await listSummaries(
    searcher.db,
    found.flatMap(({ hits }) => hits),
    seesNsfw,
  )
  return new Map(
    found.map(({ row, hits }) => [
      row,
      hits.flatMap(
        ({ kind, id }) => entries.find((entry) => entry.type === kind && entry.id === id) ?? [],
      ),
    ]),
  )
}

/** Loads the works of some rows by id, without those that were deleted. */
export async function findWorks(
  db: Database,
  reports: RowReport[],
): Promise<Map<number, EntrySummary>> {
  const keys = reports.flatMap(({ work_type: type, work_id: id }) => {
    const kind = kindOfWorkType(type)
    return kind && id !== undefined ? [{ kind, id }] : []
  })
  // Users may see adult works that are on their own list.
  const entries = await listSummaries(db, keys, true)
  return new Map(entries.map((entry) => [entry.id, entry]))
}
