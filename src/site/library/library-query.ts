import type { FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { STATUSES } from '../../ratings/fields.ts'
import {
  LIBRARY_ORDERS,
  type LibraryFilter,
  type LibraryOrder,
} from '../../ratings/own/lists/library-queries.ts'

/** Filters and order of a list, as the URL names them. */
export type LibraryQuery = {
  filter: LibraryFilter
  order: LibraryOrder
  /** The recognized parameters of the URL. */
  parameters: URLSearchParams
}

const NO_STATUS = 'none'
/** Maximum length of a title filter. */
const MAX_TITLE_LENGTH = 300

/** Reads status, kind, title and order. Unknown values are ignored. */
export function readLibraryQuery(request: FastifyRequest): LibraryQuery {
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
  return { filter: { status, kind, title }, order: order ?? 'recent', parameters }
}

const kindAt = (path: string): WorkKind | undefined =>
  WORK_KINDS.find((kind) => KINDS[kind].path === path)
