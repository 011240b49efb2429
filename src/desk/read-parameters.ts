import type { FastifyRequest } from 'fastify'
import { enumFault, validationError } from '../http/wire/errors/refusals.ts'
import { isId } from '../http/wire/requests/validation.ts'
import { queryParameterOf } from '../ui/forms/form-field.ts'

/**
 * Readers for the filters of desk lists. Invalid filters are rejected, because an unfiltered list could be mistaken
 * for the result.
 */

/**
 * Returns the ID in a query parameter, or undefined if it is empty.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if it is malformed
 */
export function readIdParameter(request: FastifyRequest, name: string): number | undefined {
  const text = queryParameterOf(request, name)
  if (text === '') return undefined
  if (!isId(text)) throw validationError([{ field: name, code: 'whole_number' }])
  return Number(text)
}

/**
 * Returns the choice in a query parameter, or undefined if it is empty.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if it is not one of the choices
 */
export function readChoice<Choice extends string>(
  request: FastifyRequest,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = queryParameterOf(request, name)
  if (text === '') return undefined
  const choice = choices.find((known) => known === text)
  if (choice === undefined) throw validationError([{ field: name, ...enumFault(choices) }])
  return choice
}
