import { parseWorkKind, type WorkKind } from '../catalog/kinds.ts'
import { parseId } from '../http/wire/requests/validation.ts'

export type WorkKey = { kind: WorkKind; id: number }

/** What a path calls one of the reader's collections. */
export type CollectionKey = number | 'default'

/** @throws {ApiError} `COMMON_NOT_FOUND` for what no work can be called */
export const parseWorkParams = ({ kind, work_id }: { kind: string; work_id: string }): WorkKey => ({
  kind: parseWorkKind(kind),
  id: parseId(work_id),
})

/** @throws {ApiError} `COMMON_NOT_FOUND` for what no collection can be called */
export const parseCollectionKey = ({ id }: { id: string }): CollectionKey =>
  id === 'default' ? id : parseId(id)
