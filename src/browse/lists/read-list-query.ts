import { Type, type Static, type TObject } from 'typebox'
import { isWorkKind, type EntryKind } from '../../catalog/kinds.ts'
import type { RequestFault } from '../../http/wire/errors/fault.ts'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { StringEnum } from '../../http/wire/schemas.ts'
import { faultsIn, refuseFaults, validatorCompiler } from '../../http/wire/requests/validation.ts'
import { badCursor, listKey, readCursor } from './cursor.ts'
import { filterProperties, readFilters, type Filter } from './filters.ts'
import { SORTS, sortOf, type Sort, type SortName } from './sorts.ts'
import type { ListRequest } from './page-statements.ts'

/** Number of entries that `page` can reach; clients read further with a cursor. */
export const MAX_PAGED_ENTRIES = 10_000
const TOO_FAR: RequestFault = {
  field: 'page',
  code: 'page.too_far',
  params: { max: MAX_PAGED_ENTRIES },
}

/** Which entries, in which order, from where on; their facets are still to be found. */
export type ListQuery = {
  filters: Filter[]
  request: Omit<ListRequest, 'kinds' | 'groups'>
  pageSize: number
  /** Entries before the page. */
  before: number
  /** As the first page said. */
  knownTotal: number | undefined
  /** For the cursor to the next page. */
  key: string
}

/** Parameters of any list of entries that are sent once. */
const pagingOf = (sorts: readonly SortName[]) => ({
  sort: Type.Optional(
    StringEnum(sorts, {
      description: `\`${sorts[0]}\` when not sent; among equals the smaller id first`,
    }),
  ),
  ...PageQuery.properties,
  cursor: Type.Optional(
    Type.String({
      description: '`next_cursor` of the page before, with the same filters; in place of `page`',
    }),
  ),
})
const NSFW = Type.Optional(
  Type.Boolean({
    description:
      'Only nsfw works, or only the others; without `catalog:full` there are no nsfw works',
  }),
)
const MIN_SCORE = Type.Optional(Type.Number({ minimum: 0, maximum: 10 }))

type Once = Partial<Static<TObject<ReturnType<typeof pagingOf>>>> & {
  nsfw?: boolean
  min_score?: number
}

/** Reads the query of one list. */
export type ListQueryReader = {
  /** As the document shows it. */
  schema: TObject
  /**
   * @param sent the query as Fastify reads it
   * @param about what else the list is of: its cursors are good for no other
   * @throws {ApiError} `COMMON_VALIDATION_FAILED` with everything that is wrong
   */
  read(sent: unknown, caller: { seesNsfw: boolean; about?: string }): ListQuery
}

/** @param kind of which entries are filtered; undefined: works of all kinds, which are not */
export function listQueryReader(kind: EntryKind | undefined): ListQueryReader {
  const isOfWorks = kind === undefined || isWorkKind(kind)
  const sorts = SORTS[kind ?? 'galgame']
  const once = Type.Object({
    ...(kind !== undefined && isOfWorks && { min_score: MIN_SCORE, nsfw: NSFW }),
    ...pagingOf(sorts),
  })
  const validate = validatorCompiler()({
    schema: once,
    method: 'GET',
    url: '',
    httpPart: 'querystring',
  })
  return {
    schema: Type.Object({ ...(kind && filterProperties(kind)), ...once.properties }),
    read(sent, { seesNsfw, about = '' }) {
      // as: what a query is; every parameter a text, or several
      const query = { ...(sent as Record<string, unknown>) }
      const isValid: unknown = validate(query)
      const invalid = typeof validate === 'function' && 'errors' in validate ? validate.errors : []
      const faults: RequestFault[] =
        isValid === true || !Array.isArray(invalid) ? [] : faultsIn(invalid)
      const read = kind
        ? readFilters(kind, query, Object.keys(once.properties))
        : { filters: [], faults: [] }
      refuseFaults([...faults, ...read.faults])
      // Validated above.
      return toListQuery({ kind, about }, query, read.filters, seesNsfw)
    },
  }
}

function toListQuery(
  { kind, about }: { kind: EntryKind | undefined; about: string },
  query: Once,
  filters: Filter[],
  callerSeesNsfw: boolean,
): ListQuery {
  const sortName = query.sort ?? 'popularity'
  const sort = sortOf(sortName, callerSeesNsfw)
  const { min_score: minScore, nsfw, page_size: pageSize = 10 } = query
  const key = listKey([kind, about, sortName, filters, minScore, nsfw, callerSeesNsfw])
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
      shown: visible.filter((shown) => nsfw === undefined || shown === nsfw),
      minScore,
      sort,
      dates: datesOf(filters),
      seesNsfw: callerSeesNsfw,
      after: start.after,
      offset: start.offset,
      // One more tells whether there is another page.
      limit: pageSize + 1,
    },
  }
}

type Start = { after: unknown[]; offset: number; before: number; total: number | undefined }

/** Where the page begins: behind a cursor, or so many entries from the first. */
function startOf({ cursor, page }: Once, key: string, sort: Sort, pageSize: number): Start {
  if (cursor === undefined) {
    const offset = ((page ?? 1) - 1) * pageSize
    if (offset + pageSize > MAX_PAGED_ENTRIES) throw validationError([TOO_FAR])
    return {
      after: sort.columns.map(({ start }) => start),
      offset,
      before: offset,
      total: undefined,
    }
  }
  if (page !== undefined) throw badCursor('cursor.with_page')
  const { after, offset, total } = readCursor(cursor, key, sort)
  return { after, offset: 0, before: offset, total }
}

/** Outside of the years asked for there is nothing. */
function datesOf(filters: Filter[]): ListRequest['dates'] {
  const years = filters.find(({ name }) => name === 'year')?.values.toSorted()
  const [first, last] = [years?.at(0), years?.at(-1)]
  return first === undefined || last === undefined
    ? undefined
    : { from: `${first}-01-01`, to: `${last}-12-31` }
}
