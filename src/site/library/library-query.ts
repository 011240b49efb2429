import type { FastifyReply, FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { PREFERENCE_LIFETIME_SECONDS } from '../../ui/page/page-context.ts'
import { STATUSES } from '../../ratings/fields.ts'
import {
  LIBRARY_ORDERS,
  type LibraryFilter,
  type LibraryOrder,
} from '../../ratings/own/lists/library-queries.ts'

/** Views of a list, the default first. */
export const LIBRARY_VIEWS = ['rows', 'covers', 'table'] as const
export type LibraryView = (typeof LIBRARY_VIEWS)[number]

/** Holds only the view, so http and https share one name. */
const VIEW_COOKIE = 'mokuroku-list-view'

/** Filters, order and view of a list, as the URL names them. */
export type LibraryQuery = {
  filter: LibraryFilter
  order: LibraryOrder
  view: LibraryView
  /** The recognized parameters of the URL. */
  parameters: URLSearchParams
}

const NO_STATUS = 'none'
/** Maximum length of a title filter. */
const MAX_TITLE_LENGTH = 300

/**
 * Reads status, kind, title, order and view. Unknown values are ignored.
 *
 * @param isOwn whether the page stores the view, so its links leave it out
 */
export function readLibraryQuery(
  request: FastifyRequest,
  { isOwn }: { isOwn: boolean },
): LibraryQuery {
  const parameters = new URLSearchParams()
  const keep = <Value>(name: string, value: Value | undefined): Value | undefined => {
    if (value !== undefined) parameters.set(name, queryParameterOf(request, name))
    return value
  }
  const parameter = (name: string) => queryParameterOf(request, name)
  const status =
    parameter('status') === NO_STATUS ? null : STATUSES.find((item) => item === parameter('status'))
  const kind = keep('kind', kindAt(parameter('kind')))
  const title = keep(
    'q',
    parameter('q').trim().toWellFormed().slice(0, MAX_TITLE_LENGTH) || undefined,
  )
  const order = keep(
    'sort',
    LIBRARY_ORDERS.find((item) => item === parameter('sort')),
  )
  keep('status', status)
  const named = findView(parameter('view'))
  if (!isOwn) keep('view', named)
  const view = named ?? findView(request.cookies[VIEW_COOKIE])
  return {
    filter: { status, kind, title },
    order: order ?? 'recent',
    view: view ?? LIBRARY_VIEWS[0],
    parameters,
  }
}

/** Stores the view from the URL in a cookie, as the default of this browser. */
export function storeLibraryView(request: FastifyRequest, reply: FastifyReply): void {
  const view = findView(queryParameterOf(request, 'view'))
  if (view !== undefined)
    void reply.setCookie(VIEW_COOKIE, view, { maxAge: PREFERENCE_LIFETIME_SECONDS })
}

const findView = (name: string | undefined) => LIBRARY_VIEWS.find((view) => view === name)

const kindAt = (path: string): WorkKind | undefined =>
  WORK_KINDS.find((kind) => KINDS[kind].path === path)

/** Whether a list is shown in groups by status. A table is sorted by its columns instead. */
export const isGrouped = ({ filter, view }: LibraryQuery): boolean =>
  filter.status === undefined && view !== 'table'
