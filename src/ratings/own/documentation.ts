import { ENTRY_OPERATION } from '../../catalog/catalog-app.ts'
import type { Operation } from '../../http/document/operation.ts'
import { noRating } from '../../http/wire/errors/feature-refusals.ts'
import { notFound, validationError } from '../../http/wire/errors/refusals.ts'

export const READ_RATINGS = { tag: 'Ratings', access: 'user', scope: 'status:read' } as const
export const WRITE_RATINGS = { ...READ_RATINGS, scope: 'status:write' } as const

const { params, missing } = ENTRY_OPERATION

/** Settings for operations whose path names a work. */
export const WORK_OPERATION = { params, missing } satisfies Partial<Operation>

/** Settings for operations whose path names the user's rating by its work. */
export const RATING_OPERATION = {
  params,
  missing: { notFound: notFound(), noRating: noRating() },
} satisfies Partial<Operation>

export const RATING_FAULTS = {
  badRating: validationError([
    { field: 'rate', code: 'score' },
    { field: 'rate_plots', kind: 'additionalProperties', code: 'schema.unknown_field' },
  ]),
}
