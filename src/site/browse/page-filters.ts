import { isLinkedKind } from '../../browse/back-links/queries.ts'
import { listFacetValues } from '../../browse/facet-values-queries.ts'
import type { ListFilters } from '../../browse/lists/list-page.ts'
import { findFilterFaults, type Filter } from '../../browse/lists/filters.ts'
import type { ListQuery } from '../../browse/lists/parse-list-query.ts'
import { findFacetGroups } from '../../browse/lists/queries.ts'
import { withSynonyms } from '../../browse/tags/tag-concepts.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { enumFault } from '../../http/wire/errors/refusals.ts'
import { refuseFaults } from '../../http/wire/requests/validation.ts'
import { ROLES_OF } from './find-facets.ts'
import { nameRangeOf } from './letters.ts'
import type { ListPageQuery } from './list-query.ts'

/** Range of years, in any order. An open end is the first or last year that an address can name. */
function rangeOf({ parameters }: ListPageQuery): [first: string, last: string] | undefined {
  const from = parameters.get('from')
  const to = parameters.get('to')
  if (from === null && to === null) return undefined
  const [first = '', last = ''] = [from ?? '1000', to ?? '9999'].toSorted()
  return [first, last]
}

/**
 * Returns the facets that a list page filters by: those of the list API, except that a work must have every tag, not
 * any of them; and the page's own filters `from`, `to`, `without`, `starts` and `role`.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if one of the page's own filters is invalid
 */
export async function findPageFilters(
  db: Reads,
  kind: EntryKind,
  { query: { filters, request }, listQuery }: { query: ListQuery; listQuery: ListPageQuery },
): Promise<ListFilters> {
  const valuesOf = (name: string) => [...new Set(listQuery.parameters.getAll(name))]
  const without = valuesOf('without')
  refuseFaults([
    ...findFilterFaults(kind, 'without', 'tag', without),
    ...['from', 'to'].flatMap((name) => findFilterFaults(kind, name, 'year', valuesOf(name))),
  ])
  const role = listQuery.parameters.get('role') ?? undefined
  const roles = isLinkedKind(kind) ? ROLES_OF[kind] : []
  if (role !== undefined && !roles.includes(role)) {
    const fault = roles.length === 0 ? ({ code: 'filter.unknown' } as const) : enumFault(roles)
    refuseFaults([{ field: 'role', kind: 'filter', ...fault }])
  }
  const range = rangeOf(listQuery)
  const wanted = filters.flatMap((filter): Filter[] =>
    filter.name === 'tag'
      ? filter.values.map((value) => ({ name: 'tag', values: [value] }))
      : [filter],
  )
  if (range) {
    const [first, last] = range
    const years = (await listFacetValues(db, kind, 'year', request.seesNsfw)).map(
      ({ value }) => value,
    )
    wanted.push({ name: 'year', values: years.filter((year) => year >= first && year <= last) })
  }
  const excluded: Filter[] = without.map((tag) => ({ name: 'tag', values: [tag] }))
  const groups = await findFacetGroups(db, [kind], withSynonyms([...wanted, ...excluded]))
  return {
    groups: groups.slice(0, wanted.length),
    excluded: groups.slice(wanted.length).flat(),
    names: nameRangeOf(listQuery),
    role: role !== undefined && isLinkedKind(kind) ? { kind, name: role } : undefined,
    dates: request.dates ?? (range && { from: `${range[0]}-01-01`, to: `${range[1]}-12-31` }),
  }
}
