import type { EntryKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import type { EntrySummary } from '../summary.ts'
import { findListPage } from './queries.ts'
import type { ListRequest } from './page-statements.ts'
import type { ListQuery } from './read-list-query.ts'
import { sortOf, type SortName } from './sorts.ts'

/**
 * Entries of a page, as values. `total` is exact up to `MAX_EXACT_TOTAL`; `hasMore` is true if another page follows.
 */
export type EntriesPage = { entries: EntrySummary[]; total: number; hasMore: boolean }

/** The entries that a list's query asks for, for who shows them in another way than as JSON. */
export async function findEntries(
  db: Database,
  { kinds, groups, query }: { kinds: EntryKind[]; groups: string[][]; query: ListQuery },
): Promise<EntriesPage> {
  const { pageSize, knownTotal, request } = query
  const found = await findListPage(db, { ...request, kinds, groups }, knownTotal)
  return {
    entries: valuesOf(found.entries.slice(0, pageSize)),
    total: found.total,
    hasMore: found.entries.length > pageSize,
  }
}

export type FirstEntries = {
  kinds: EntryKind[]
  sort: SortName
  limit: number
  seesNsfw: boolean
  /** `YYYY-MM-DD`; in an order by date, what comes later is left out. */
  until?: string
}

/** The first entries of an order. */
export async function findFirstEntries(
  db: Database,
  { kinds, sort: name, limit, seesNsfw, until }: FirstEntries,
): Promise<EntrySummary[]> {
  const sort = sortOf(name, seesNsfw)
  const request: ListRequest = {
    kinds,
    shown: seesNsfw ? [false, true] : [false],
    groups: [],
    minScore: undefined,
    sort,
    dates: until === undefined ? undefined : { from: '1000-01-01', to: until },
    seesNsfw,
    after: sort.columns.map(({ start }) => start),
    offset: 0,
    limit,
  }
  // A total that is known is not counted.
  const { entries } = await findListPage(db, request, 0)
  return valuesOf(entries)
}

// as: what the statement has made
const valuesOf = (entries: { item: string | null }[]) =>
  entries.flatMap(({ item }) => (item === null ? [] : [JSON.parse(item) as EntrySummary]))
