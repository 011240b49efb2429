import { listSummaries } from '../../browse/summary-queries.ts'
import type { Database } from '../../db/database.ts'
import type { PageContext } from '../../ui/page/page-context.ts'
import { shownTitles, type ShownTitle } from '../components/titles.ts'
import type { ListAddress } from './list-query.ts'

/** Filters whose values are ids of entries. */
export const NAMED_FILTERS = ['producer', 'person', 'character'] as const
export type NamedFilter = (typeof NAMED_FILTERS)[number]

/** What the entries are called that a list is filtered by: by filter and id, `producer 7`. */
export type FilterNames = ReadonlyMap<string, ShownTitle>

export const filterNameKey = (filter: NamedFilter, id: string) => `${filter} ${id}`

/** The names of the entries that an address filters by. @param address was checked: its ids are such */
export async function findFilterNames(
  db: Database,
  { language, reader }: PageContext,
  { parameters }: ListAddress,
): Promise<FilterNames> {
  const keys = NAMED_FILTERS.flatMap((kind) =>
    parameters.getAll(kind).map((value) => ({ kind, id: Number(value) })),
  )
  const entries = await listSummaries(db, keys, reader?.nsfw ?? false)
  return new Map(
    entries.map((entry) => [`${entry.type} ${entry.id}`, shownTitles(language, entry)[0]]),
  )
}
