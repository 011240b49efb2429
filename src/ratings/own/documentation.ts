import { Type } from 'typebox'
import type { Operation } from '../../http/document/operation.ts'
import { noRating } from '../../http/wire/errors/feature-refusals.ts'
import { merged, notFound, validationError } from '../../http/wire/errors/refusals.ts'
import { Id } from '../../http/wire/schemas.ts'

export const READ_RATINGS = { tag: 'Ratings', access: 'user', scope: 'status:read' } as const
export const WRITE_RATINGS = { ...READ_RATINGS, scope: 'status:write' } as const

const params = Type.Object({ id: Id })

/** For operations whose path names a work. */
export const WORK_OPERATION = {
  params,
  missing: { notFound: notFound(), merged: merged(42) },
} satisfies Partial<Operation>

/** For operations whose path names the user's rating by its work. */
export const RATING_OPERATION = {
  params,
  missing: { notFound: notFound(), noRating: noRating() },
} satisfies Partial<Operation>

export const RATING_FAULTS = {
  badRating: validationError([
    { field: 'rate', code: 'score' },
    { field: 'rate_plott', kind: 'additionalProperties', code: 'schema.unknown_field' },
  ]),
}
