import { Type } from 'typebox'
import type { Operation } from '../../http/document/operation.ts'
import { noRating } from '../../http/wire/errors/feature-refusals.ts'
import { merged, notFound, validationError } from '../../http/wire/errors/refusals.ts'
import { Id } from '../../http/wire/schemas.ts'

/** Who may call the routes that read, and those that write, the reader's own records. */
export const READ_RATINGS = { access: 'user', scope: 'status:read' } as const
export const WRITE_RATINGS = { access: 'user', scope: 'status:write' } as const

export const RATINGS_TAG = 'Ratings'

const params = Type.Object({ id: Id })

/** Of an operation whose path names a work. */
export const WORK_OPERATION = {
  params,
  missing: { notFound: notFound(), merged: merged(42) },
} satisfies Partial<Operation>

/** Of an operation whose path names a record of the reader, by its work. */
export const RATING_OPERATION = {
  params,
  missing: { notFound: notFound(), noRating: noRating() },
} satisfies Partial<Operation>

/** The refusals of a record that is wrong. */
export const RATING_FAULTS = {
  badRating: validationError([
    { field: 'rate', code: 'score' },
    { field: 'rate_plott', kind: 'additionalProperties', code: 'schema.unknown_field' },
  ]),
}
