import type { FastifyReply, FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { PREFERENCE_LIFETIME_SECONDS } from '../../ui/page/page-context.ts'
import { STATUSES } from '../../ratings/fields.ts'
import {
  LIBRARY_ORDERS,
  type LibraryFilter,
  type LibrarySort,
  PUBLIC_ORDERS,
  type PublicOrder,
} from '../../ratings/own/lists/library-queries.ts'

/** Views of a list, the default first. */
export const LIBRARY_VIEWS = ['rows', 'covers', 'table'] as const
export type LibraryView = (typeof LIBRARY_VIEWS)[number]

/** Columns of the table besides the title, in order. */
export const TABLE_COLUMNS = [
  'kind',
  'status',
  'rate',
  'released',
  'progress',
  'started_on',
  'finished_on',
  'times_finished',
  'minutes',
  'labels',
  'updated',
] as const
export type TableColumn = (typeof TABLE_COLUMNS)[number]

/** Columns whose values only the owner of a list sees. */
const OWN_COLUMNS: ReadonlySet<TableColumn> = new Set([
  'progress',
  'started_on',
  'finished_on',
  'times_finished',
  'minutes',
  'labels',
])

/** Columns of a user's own list that are not shown unless the user chooses them. */
const EXTRA_COLUMNS: ReadonlySet<TableColumn> = new Set(['started_on', 'times_finished', 'labels'])

export const COLUMNS_PARAMETER = 'columns'

/** Holds only names of columns. */
const COLUMNS_COOKIE = 'mokuroku-list-columns'

/** Holds only the view, so http and https share one name. */
const VIEW_COOKIE = 'mokuroku-list-view'

/** Filters, order and view of a list, as the URL names them. */
export type LibraryQuery<Sort extends LibrarySort = LibrarySort> = {
  filter: LibraryFilter
  sort: Sort
  view: LibraryView
  /** Columns of the table. */
  columns: TableColumn[]
  /** The recognized parameters of the URL. */
  parameters: URLSearchParams
}

const NO_STATUS = 'none'
/** Maximum length of a filter by title or label. */
const MAX_TEXT_LENGTH = 300

/** Reads the query of the user's own list. The page stores the view, so its links leave it out. */
export const readOwnQuery = (request: FastifyRequest): LibraryQuery =>
  readQuery(request, LIBRARY_ORDERS, true)

/** Reads the query of another user's list. */
export const readPublicQuery = (
  request: FastifyRequest,
): LibraryQuery<{ order: PublicOrder; isReversed: boolean }> =>
  readQuery(request, PUBLIC_ORDERS, false)

/** Reads status, kind, title, label, order and view. Unknown values are ignored. */
function readQuery<Order extends string>(
  request: FastifyRequest,
  orders: readonly ('recent' | Order)[],
  isOwn: boolean,
) {
  const parameters = new URLSearchParams()
  const keep = <Value>(name: string, value: Value | undefined): Value | undefined => {
    if (value !== undefined) parameters.set(name, queryParameterOf(request, name))
    return value
  }
  const parameter = (name: string) => queryParameterOf(request, name)
  const status =
    parameter('status') === NO_STATUS ? null : STATUSES.find((item) => item === parameter('status'))
  const kind = keep('kind', kindAt(parameter('kind')))
  const text = (name: string) =>
    parameter(name).trim().toWellFormed().slice(0, MAX_TEXT_LENGTH) || undefined
  const title = keep('q', text('q'))
  const label = isOwn ? keep('label', text('label')) : undefined
  const order = keep(
    'sort',
    orders.find((item) => item === parameter('sort')),
  )
  const isReversed = keep('reverse', parameter('reverse') === '1' || undefined) ?? false
  keep('status', status)
  const named = findView(parameter('view'))
  if (!isOwn) keep('view', named)
  const view = named ?? findView(request.cookies[VIEW_COOKIE])
  return {
    filter: { status, kind, title, label },
    sort: { order: order ?? 'recent', isReversed },
    view: view ?? LIBRARY_VIEWS[0],
    columns: isOwn ? readColumns(request) : TABLE_COLUMNS.filter((name) => !OWN_COLUMNS.has(name)),
    parameters,
  }
}

/** Returns the columns that the URL names, else those that this browser chose before. */
function readColumns(request: FastifyRequest): TableColumn[] {
  const chosen = namedColumns(request) ?? request.cookies[COLUMNS_COOKIE]?.split('.')
  return TABLE_COLUMNS.filter((name) => chosen?.includes(name) ?? !EXTRA_COLUMNS.has(name))
}

/** Returns the columns that the URL names. The form always sends the title, so that an empty choice differs from none. */
function namedColumns({ query }: FastifyRequest): unknown[] | undefined {
  if (typeof query !== 'object' || query === null || !(COLUMNS_PARAMETER in query)) return undefined
  return [query[COLUMNS_PARAMETER]].flat()
}

/** Stores the view and the columns from the URL in cookies, as the defaults of this browser. */
export function storeLibraryView(request: FastifyRequest, reply: FastifyReply): void {
  const view = findView(queryParameterOf(request, 'view'))
  const lifetime = { maxAge: PREFERENCE_LIFETIME_SECONDS }
  if (view !== undefined) void reply.setCookie(VIEW_COOKIE, view, lifetime)
  if (!namedColumns(request)) return
  void reply.setCookie(COLUMNS_COOKIE, ['title', ...readColumns(request)].join('.'), lifetime)
}

const findView = (name: string | undefined) => LIBRARY_VIEWS.find((view) => view === name)

const kindAt = (path: string): WorkKind | undefined =>
  WORK_KINDS.find((kind) => KINDS[kind].path === path)

/** Whether a list is shown in groups by status. A table is sorted by its columns instead. */
export const isGrouped = ({ filter, view }: LibraryQuery): boolean =>
  filter.status === undefined && view !== 'table'
