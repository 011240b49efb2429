import type { Fault } from '../http/wire/errors/fault.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { isId } from '../http/wire/requests/validation.ts'

/** Maximum number of ids in one request, including repeated ones. */
export const MAX_IDS = 100

/**
 * Parses the `ids` parameter and returns each id once, in order of first occurrence.
 *
 * @param sent values of the parameter, each a comma-separated list
 * @param max maximum number of ids, including repeated ones
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` naming `ids` if an id is invalid, none is given, or there are too many
 */
export function parseIds(sent: string | string[] | undefined, max = MAX_IDS): number[] {
  const texts = [sent ?? []].flat().join(',').split(',')
  if (texts.every((text) => text === '')) throw refusal('ids.none')
  if (texts.length > max) throw refusal('ids.too_many', { count: texts.length, max })
  const wrong = texts.find((text) => !isId(text))
  if (wrong !== undefined) throw invalidIds(wrong)
  return [...new Set(texts.map(Number))]
}

/** Returns the error for text that is not a valid id. */
export const invalidIds = (text: string) =>
  refusal('ids.invalid', { id: JSON.stringify(text.slice(0, 40).toWellFormed()) })

const refusal = (code: Fault['code'], params: Fault['params'] = {}) =>
  validationError([{ field: 'ids', kind: 'ids', code, params }])
