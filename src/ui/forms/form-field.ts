import type { FastifyRequest } from 'fastify'
import { malformedParametersOf } from '../../http/wire/requests/query-encoding.ts'
import { PageError } from '../page/errors.ts'

/** Percent signs that encode no byte, such as in `?q=100%`. Decoders keep them. */
const PLAIN_PERCENTS = /%(?![\da-f]{2})/gi

/** Returns the first value of a form field, or an empty string. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  return textOf(body, name)
}

/** Returns every value of a form field. */
export function fieldsOf({ body }: FastifyRequest, name: string): string[] {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return []
  // as: the previous check found this property
  const value = (body as Record<string, unknown>)[name]
  return [value].flat().filter((item) => typeof item === 'string')
}

/**
 * Returns the first value of a query parameter, or an empty string.
 *
 * @throws {PageError} 422 if its bytes are not UTF-8, because they are not the text that the user meant
 */
export function queryParameterOf(request: FastifyRequest, name: string): string {
  if (malformedParametersOf(request.url.replace(PLAIN_PERCENTS, '%25')).includes(name))
    throw new PageError(422, undefined, request.page.messages.error.unreadable)
  return textOf(request.query, name)
}

function textOf(values: unknown, name: string): string {
  if (typeof values !== 'object' || values === null || !Object.hasOwn(values, name)) return ''
  // as: the previous check found this property
  const value = (values as Record<string, unknown>)[name]
  const first: unknown = Array.isArray(value) ? value[0] : value
  return typeof first === 'string' ? first : ''
}

/** Returns the submitted generation of a form that creates a secret (`accounts/generation.ts`). */
export const submittedGeneration = (request: FastifyRequest): string =>
  fieldOf(request, 'generation')

/** Parses a field that a script fills with JSON; undefined if it is invalid. */
export function jsonFieldOf(request: FastifyRequest, name: string): unknown {
  try {
    return JSON.parse(fieldOf(request, name))
  } catch {
    return undefined
  }
}
