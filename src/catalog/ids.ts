import type { Fault } from '../http/wire/errors/fault.ts'
import { validationError } from '../http/wire/errors/refusals.ts'
import { isId } from '../http/wire/requests/validation.ts'

/** In one request, repeated ones counted. */
export const MAX_IDS = 100

/**
 * The ids of a query, in order, each once.
 *
 * @param sent of the parameter `ids`: one text or several, each of ids separated by commas
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` naming `ids` when one is wrong, or there are none or too many
 */
export function readIds(sent: string | string[] | undefined): number[] {
  const texts = [sent ?? []].flat().join(',').split(',')
  if (texts.every((text) => text === '')) throw refusal('ids.none')
  if (texts.length > MAX_IDS) throw refusal('ids.too_many', { count: texts.length, max: MAX_IDS })
  const wrong = texts.find((text) => !isId(text))
  if (wrong !== undefined) throw badIds(wrong)
  return [...new Set(texts.map(Number))]
}

/** The refusal of what is no id. */
export const badIds = (text: string) =>
  refusal('ids.invalid', { id: JSON.stringify(text.slice(0, 40).toWellFormed()) })

const refusal = (code: Fault['code'], params: Fault['params'] = {}) =>
  validationError([{ field: 'ids', kind: 'ids', code, params }])
