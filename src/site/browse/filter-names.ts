import { listSummaries } from '../../browse/summary-queries.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { shownTitles, type ShownTitle } from '../components/titles.ts'
import type { ListPageQuery } from './list-query.ts'

/** Filters whose values are ids of entries. */
export const NAMED_FILTERS = ['producer', 'person', 'character'] as const
export type NamedFilter = (typeof NAMED_FILTERS)[number]

/** Titles of the entries that a list is filtered by, keyed by filter and id, such as `producer 7`. */
export type FilterNames = ReadonlyMap<string, ShownTitle>

export const filterNameKey = (filter: NamedFilter, id: string) => `${filter} ${id}`

/**
 * Finds the titles of the entries that a query filters by.
 *
 * @param listQuery validated query, whose values are ids
 */
export async function findFilterNames(
  db: Reads,
  context: PageContext,
  { parameters }: ListPageQuery,
): Promise<FilterNames> {
  const keys = NAMED_FILTERS.flatMap((kind) =>
    parameters.getAll(kind).map((value) => ({ kind, id: Number(value) })),
  )
  const entries = await listSummaries(db, keys, listsAdultWorks(context))
  return new Map(
    entries.map((entry) => [`${entry.type} ${entry.id}`, shownTitles(context, entry)[0]]),
  )
}
