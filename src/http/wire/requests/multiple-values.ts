import type { FastifySchemaCompiler } from 'fastify'
import { PageQuery } from './paging.ts'
import { notOneOf } from '../errors/refusals.ts'
import { validatorCompiler } from './validation.ts'

/** A query parameter that may be repeated or hold comma-separated values. */
export type SeveralValues = string | string[] | undefined

/** Returns the values in order, without empty ones. */
export const readMultiValue = (sent: SeveralValues): string[] =>
  [sent ?? []].flat().flatMap((text) => text.split(',').filter((value) => value !== ''))

/**
 * Returns the allowed values that a parameter names, ignoring case, or `undefined` if it names none.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` for any other value
 */
export function readChoices<Value extends string>(
  field: string,
  sent: SeveralValues,
  values: readonly Value[],
): Value[] | undefined {
  const chosen = readMultiValue(sent).map((text) => {
    const found = values.find((value) => value.toLowerCase() === text.toLowerCase())
    if (found === undefined) throw notOneOf(field, values)
    return found
  })
  return chosen.length > 0 ? chosen : undefined
}

/**
 * Validates only `page` and `page_size`. The other parameters may have two forms, of which the schema describes one.
 * `readMultiValue` reads both.
 */
export const validatePageOnly: FastifySchemaCompiler<object> = (route) =>
  route.httpPart === 'querystring'
    ? validatorCompiler()({ ...route, schema: PageQuery })
    : () => true
