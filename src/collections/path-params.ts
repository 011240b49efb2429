import type { FastifyRequest } from 'fastify'
import type { WorkKind } from '../catalog/kinds.ts'
import { parseWorkKind } from '../catalog/work-types.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { parseId } from '../http/wire/requests/validation.ts'

export type WorkKey = { kind: WorkKind; id: number }

/** Id of a collection, or `default` for the collection that every user has. */
export type CollectionKey = number | 'default'

export type OwnCollectionKey = { accountId: number; key: CollectionKey }

type WorkParams = { kind: string; work_id: string }
export type CollectionRequest = { Params: { id: string } }
export type ItemRequest = { Params: WorkParams & { id: string } }

/** @throws {ApiError} `COMMON_NOT_FOUND` if the parameters cannot identify a work */
export const parseWorkParams = ({ kind, work_id }: WorkParams): WorkKey => ({
  kind: parseWorkKind(kind),
  id: parseId(work_id),
})

/** @throws {ApiError} `COMMON_NOT_FOUND` if the parameter cannot identify a collection */
export const ownCollectionKey = (request: FastifyRequest<CollectionRequest>): OwnCollectionKey => {
  const { id } = request.params
  return { accountId: accountOf(request), key: id === 'default' ? id : parseId(id) }
}
