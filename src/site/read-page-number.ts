import type { FastifyRequest } from 'fastify'
import { validationError } from '../http/wire/errors/refusals.ts'
import { queryParameterOf } from '../ui/forms/form-field.ts'

const MAX_PAGE = 10_000

/**
 * Reads the page number of a list from the query. Pages start at 1, which is the default.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if the number is invalid
 */
export function readPageNumber(request: FastifyRequest): number {
  const text = queryParameterOf(request, 'page')
  if (text === '') return 1
  const page = Number(text)
  if (!/^\d{1,5}$/.test(text) || page < 1 || page > MAX_PAGE)
    throw validationError([{ field: 'page', code: 'page.number', params: { max: MAX_PAGE } }])
  return page
}
