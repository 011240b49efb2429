import { Type, type Static, type TObject } from 'typebox'
import { isWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { StringEnum } from '../../http/wire/schemas.ts'
import { createFaultFinder, refuseFaults } from '../../http/wire/requests/validation.ts'
import type { NameOrder } from '../name-orders.ts'
import { invalidCursor, fingerprintOf, decodeCursor } from './cursor.ts'
import { filterProperties, parseFilters, type Filter } from './filters.ts'
import { SORTS, sortOf, type Sort, type SortName } from './sorts.ts'
import type { ListRequest } from './page-statements.ts'

/** Maximum number of entries reachable with `page`. Clients read further with a cursor. */
export const MAX_PAGED_ENTRIES = 10_000
const PAGE_TOO_FAR: RequestFault = {
  field: 'page',
  code: 'page.too_far',
  params: { max: MAX_PAGED_ENTRIES },
}

/** A parsed list query. Its facets are looked up separately. */
export type ListQuery = {
  filters: Filter[]
  request: Omit<ListRequest, 'kinds' | 'groups'>
  pageSize: number
  /** Number of entries before the page. */
  before: number
  /** Total returned with the first page. */
  knownTotal: number | undefined
  /** Fingerprint of the list, for the cursor of the next page. */
  key: string
}

/** Properties of the viewer on which a list depends. */
type ListViewer = {
  seesNsfw: boolean
  /** Titles by which `sort=name` orders on pages. In the API, it does not depend on the viewer. */
  nameOrder?: NameOrder | undefined
}

/** Parameters shared by all lists of entries. */
const pagingOf = (sorts: readonly SortName[]) => ({
  sort: Type.Optional(
    StringEnum(sorts, { description: `Defaults to \`${sorts[0]}\`. Ties are sorted by id.` }),
  ),
  ...PageQuery.properties,
  cursor: Type.Optional(
    Type.String({
      description: '`next_cursor` of the previous page, with the same filters; instead of `page`',
    }),
  ),
})
const NSFW = Type.Optional(
  Type.Boolean({
    description:
      'Only nsfw works, or only other works. Without `catalog:full`, nsfw works are never returned.',
  }),
)
const MIN_SCORE = Type.Optional(Type.Number({ minimum: 0, maximum: 10 }))

type SingleParameters = Partial<Static<TObject<ReturnType<typeof pagingOf>>>> & {
  nsfw?: boolean
  min_score?: number
}

/**
 * Returns the schema of a list's query for the OpenAPI document, and a function that parses such a query.
 *
 * @param kind kind of the entries, or undefined for works of all kinds, which have no filters
 */
export function listQueryParser(kind: EntryKind | undefined) {
  const isOfWorks = kind === undefined || isWorkKind(kind)
  const singleParameters = Type.Object({
    ...(kind !== undefined && isOfWorks && { min_score: MIN_SCORE, nsfw: NSFW }),
    ...pagingOf(SORTS[kind ?? 'galgame']),
  })
  const findFaults = createFaultFinder(singleParameters, 'querystring')
  return {
    schema: Type.Object({ ...(kind && filterProperties(kind)), ...singleParameters.properties }),
    /**
     * @param sent query as parsed by Fastify
     *
     * @param about further data that identifies the list; a cursor is valid only for the same data
     * @throws {ApiError} `COMMON_VALIDATION_FAILED` with all faults
     */
    parse(sent: unknown, { about = '', ...viewer }: ListViewer & { about?: string }) {
      // as: a parsed query, whose values are strings or arrays of strings
      const query = { ...(sent as Record<string, unknown>) }
      const faults = findFaults(query)
      const read = kind
        ? parseFilters(kind, query, Object.keys(singleParameters.properties))
        : { filters: [], faults: [] }
      refuseFaults([...faults, ...read.faults])
      return toListQuery({ kind, about }, query, read.filters, viewer)
    },
  }
}

function toListQuery(
  { kind, about }: { kind: EntryKind | undefined; about: string },
  query: SingleParameters,
  filters: Filter[],
  { seesNsfw: callerSeesNsfw, nameOrder }: ListViewer,
): ListQuery {
  const sortName = query.sort ?? 'popularity'
  const sort = sortOf(sortName, callerSeesNsfw, nameOrder)
  const { min_score: minScore, nsfw, page_size: pageSize = 10 } = query
  const key = fingerprintOf([kind, about, sortName, filters, minScore, nsfw, callerSeesNsfw])
  const start = startOf(query, key, sort, pageSize)
  const isOfWorks = kind === undefined || isWorkKind(kind)
  const visible = callerSeesNsfw && isOfWorks ? [false, true] : [false]
  return {
    filters,
    pageSize,
    before: start.before,
    knownTotal: start.total,
    key,
    request: {
      nsfwValues: visible.filter((shown) => nsfw === undefined || shown === nsfw),
      minScore,
      sort,
      dates: datesOf(filters),
      seesNsfw: callerSeesNsfw,
      after: start.after,
      offset: start.offset,
      // The extra entry shows whether another page follows.
      limit: pageSize + 1,
    },
  }
}

type Start = { after: unknown[]; offset: number; before: number; total: number | undefined }

/** Returns the start of the page: the cursor, or else the offset. */
function startOf(
  { cursor, page }: SingleParameters,
  key: string,
  sort: Sort,
  pageSize: number,
): Start {
  if (cursor === undefined) {
    const offset = ((page ?? 1) - 1) * pageSize
    if (offset + pageSize > MAX_PAGED_ENTRIES) throw validationError([PAGE_TOO_FAR])
    return {
      after: sort.columns.map(({ start }) => start),
      offset,
      before: offset,
      total: undefined,
    }
  }
  if (page !== undefined) throw invalidCursor('cursor.with_page')
  const { after, offset, total } = decodeCursor(cursor, key, sort)
  return { after, offset: 0, before: offset, total }
}

/** Returns the range of dates that the year filter covers. */
function datesOf(filters: Filter[]): ListRequest['dates'] {
  const years = filters.find(({ name }) => name === 'year')?.values.toSorted()
  const [first, last] = [years?.at(0), years?.at(-1)]
  return first === undefined || last === undefined
    ? undefined
    : { from: `${first}-01-01`, to: `${last}-12-31` }
}
