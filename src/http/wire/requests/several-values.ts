import type { FastifySchemaCompiler } from 'fastify'
import { PageQuery } from './paging.ts'
import { notOneOf } from '../errors/refusals.ts'
import { validatorCompiler } from './validation.ts'

/** A query parameter that may be sent several times, or once with its values separated by commas. */
export type SeveralValues = string | string[] | undefined

/** The values that were sent, in order, without empty ones. */
export const readValues = (sent: SeveralValues): string[] =>
  [sent ?? []].flat().flatMap((text) => text.split(',').filter((value) => value !== ''))

/**
 * Those of a few values that a parameter names, in either case; undefined when it names none.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` naming the field when another value is among them
 */
export function readChoices<Value extends string>(
  field: string,
  sent: SeveralValues,
  values: readonly Value[],
): Value[] | undefined {
  const chosen = readValues(sent).map((text) => {
    const found = values.find((value) => value.toLowerCase() === text.toLowerCase())
    if (found === undefined) throw notOneOf(field, values)
    return found
  })
  return chosen.length > 0 ? chosen : undefined
}

/** Validates `page` and `page_size` alone: a schema describes one of the two forms of the other parameters, which `readValues` reads. */
export const validatePageOnly: FastifySchemaCompiler<object> = (route) =>
  route.httpPart === 'querystring'
    ? validatorCompiler()({ ...route, schema: PageQuery })
    : () => true
