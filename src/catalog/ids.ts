import { validationError } from '../http/wire/refusals.ts'
import { isId } from '../http/wire/validation.ts'

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
  if (texts.every((text) => text === '')) throw refusal('names no entry; send ids such as ids=1,2,3')
  if (texts.length > MAX_IDS) throw refusal(`names ${texts.length} entries; at most ${MAX_IDS} are possible`)
  const wrong = texts.find((text) => !isId(text))
  if (wrong !== undefined) throw badIds(wrong)
  return [...new Set(texts.map(Number))]
}

/** The refusal of what is no id. */
export const badIds = (text: string) =>
  refusal(
    `${JSON.stringify(text.slice(0, 40).toWellFormed())} is no id; ids are positive integers, separated by commas`,
  )

const refusal = (message: string) => validationError([{ field: 'ids', message, code: 'ids' }])
