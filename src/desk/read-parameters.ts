import type { FastifyRequest } from 'fastify'
import { enumFault, validationError } from '../http/wire/errors/refusals.ts'
import { isId } from '../http/wire/requests/validation.ts'
import { queryParameterOf } from '../ui/forms/form-field.ts'

/** What a list of the desk is narrowed to. A parameter that cannot be is refused: the whole list would be taken for its answer. */

/**
 * The id that a parameter of the address holds; undefined when it is empty.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it is none
 */
export function readIdParameter(request: FastifyRequest, name: string): number | undefined {
  const text = queryParameterOf(request, name)
  if (text === '') return undefined
  if (!isId(text)) throw validationError([{ field: name, code: 'whole_number' }])
  return Number(text)
}

/**
 * Which of the choices a parameter names; undefined when it is empty.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` when it names none of them
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
