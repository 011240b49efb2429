import type { FastifySchema } from 'fastify'
import { Type, type TObject } from 'typebox'
import { documentOperation, type Operation } from '../../http/document/operation.ts'
import { ApiError, notFound } from '../../http/wire/errors.ts'
import { validationError } from '../../http/wire/validation.ts'

export const noRating = () => notFound('You have no record of this work.')

const noWork = {
  missing: notFound(),
  merged: new ApiError('WIKI_RESOURCE_MERGED', 'This entry was merged into 42.', {
    details: { merged_into: 42 },
  }),
}

const wrongFields = {
  fields: validationError([
    { field: 'rate', message: 'must have at most one decimal', code: 'rule' },
    { field: 'rate_plott', message: 'must NOT have additional properties', code: 'additionalProperties' },
  ]),
}

const wrongQuery = {
  query: validationError([{ field: 'page_size', message: 'must be <= 100', code: 'maximum' }]),
}

type RatingOperation = Pick<
  Operation,
  'operationId' | 'summary' | 'description' | 'success' | 'documented'
> & {
  scope: 'status:read' | 'status:write'
  /** `work`: it names a work; `record`: a record of the reader. */
  names?: 'work' | 'record'
  body?: TObject
  querystring?: TObject
}

/** An operation on a reader's own records. */
export function documentRating(operation: RatingOperation): FastifySchema {
  const { names, body, querystring, ...told } = operation
  const faults = (body && wrongFields) ?? (querystring && wrongQuery)
  return {
    ...documentOperation({
      tag: 'Ratings',
      by: 'user',
      ...told,
      ...(names && { missing: names === 'work' ? noWork : { missing: noRating() } }),
      takesBody: body !== undefined || operation.operationId.startsWith('delete'),
      ...(faults && { faults }),
    }),
    ...(names && { params: Type.Object({ id: Type.Integer({ minimum: 1 }) }) }),
    ...(body && { body }),
    ...(querystring && { querystring }),
  }
}
