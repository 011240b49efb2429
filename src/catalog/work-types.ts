import { StringEnum } from '../http/wire/schemas.ts'
import { KINDS, WORK_KINDS, type WorkKind } from './kinds.ts'
import { notFound } from '../http/wire/errors/refusals.ts'

/** Name of a kind of work in `work_type` fields of the API (decision 0002). */
export type WorkTypeName = Uppercase<WorkKind>

// as: the type of an upper-cased name
export const workTypeOf = (kind: WorkKind) => kind.toUpperCase() as WorkTypeName

export const WORK_TYPES = WORK_KINDS.map(workTypeOf)

/** Returns the kind of a work type, given in upper or lower case, or undefined if unknown. */
export const kindOfWorkType = (name: unknown): WorkKind | undefined =>
  WORK_KINDS.find((kind) => kind === name || workTypeOf(kind) === name)

/** Schema of a work type in responses. */
export const WorkType = StringEnum(WORK_TYPES, { title: 'WorkType' })

/** Schema of a work type in queries, which also accept lower case. */
export const WorkTypeParameter = StringEnum([...WORK_TYPES, ...WORK_KINDS], {
  title: 'WorkTypeInEitherCase',
})

/** @throws {ApiError} `COMMON_NOT_FOUND` if the path segment does not name a kind of work */
export function parseWorkKind(segment: string): WorkKind {
  const found = WORK_KINDS.find((kind) => KINDS[kind].path === segment)
  if (!found) throw notFound()
  return found
}
