import type { FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { parameterOf } from '../../ui/forms/form-field.ts'
import { STATUSES } from '../../ratings/fields.ts'
import {
  LIBRARY_ORDERS,
  type LibraryFilter,
  type LibraryOrder,
} from '../../ratings/own/lists/library-queries.ts'

/** What the address of a list says. */
export type LibraryAddress = {
  filter: LibraryFilter
  order: LibraryOrder
  /** Those parameters of the address that mean something here. */
  parameters: URLSearchParams
}

const NO_STATUS = 'none'
/** Longer titles are nobody's. */
const MAX_TITLE = 300

/** Reads status, kind, title and order; what nobody knows is passed over. */
export function readLibraryAddress(request: FastifyRequest): LibraryAddress {
  const parameters = new URLSearchParams()
  const keep = <Value>(name: string, value: Value | undefined): Value | undefined => {
    if (value !== undefined) parameters.set(name, parameterOf(request, name))
    return value
  }
  const wanted = (name: string) => parameterOf(request, name)
  const status =
    wanted('status') === NO_STATUS ? null : STATUSES.find((one) => one === wanted('status'))
  const kind = keep('kind', kindAt(wanted('kind')))
  const title = keep('q', wanted('q').trim().toWellFormed().slice(0, MAX_TITLE) || undefined)
  const order = keep(
    'sort',
    LIBRARY_ORDERS.find((one) => one === wanted('sort')),
  )
  keep('status', status)
  return { filter: { status, kind, title }, order: order ?? 'recent', parameters }
}

const kindAt = (path: string): WorkKind | undefined =>
  WORK_KINDS.find((kind) => KINDS[kind].path === path)
