import type { FastifyRequest } from 'fastify'
import { validationError } from '../http/wire/errors/refusals.ts'
import { parameterOf } from '../ui/forms/form-field.ts'

const MAX_PAGE = 10_000

/**
 * Which page of a list is asked for, from 1; the first when nothing is said.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is no such number
 */
export function readPageNumber(request: FastifyRequest): number {
  const text = parameterOf(request, 'page')
  if (text === '') return 1
  const page = Number(text)
  if (!/^\d{1,5}$/.test(text) || page < 1 || page > MAX_PAGE)
    throw validationError([{ field: 'page', code: 'page.number', params: { max: MAX_PAGE } }])
  return page
}
