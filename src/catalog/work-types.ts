import { StringEnum } from '../http/wire/schemas.ts'
import { WORK_KINDS, type WorkKind } from './kinds.ts'

/** What the wire calls a kind of works wherever it says `work_type` (decision 0002). */
export type WorkTypeName = Uppercase<WorkKind>

// as: the upper case of a name is its own type
export const workTypeOf = (kind: WorkKind) => kind.toUpperCase() as WorkTypeName

export const WORK_TYPES = WORK_KINDS.map(workTypeOf)

/** The kind that a work type names, in upper or lower case; undefined when it names none. */
export const kindOfWorkType = (name: unknown): WorkKind | undefined =>
  WORK_KINDS.find((kind) => kind === name || workTypeOf(kind) === name)

/** A work type in an answer. */
export const WorkType = StringEnum(WORK_TYPES, { title: 'WorkType' })

/** A work type in a query, where lower case will do as well. */
export const WorkTypeParameter = StringEnum([...WORK_TYPES, ...WORK_KINDS], {
  title: 'WorkTypeInEitherCase',
})
