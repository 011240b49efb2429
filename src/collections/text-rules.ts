import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { readFreeText } from '../http/wire/requests/free-text.ts'
import type { Fault } from '../http/wire/errors/fault.ts'
import { readBody, refuseFaults } from '../http/wire/requests/validation.ts'
import { NOT_IN_LINE } from '../kernel/printable.ts'

/** A text as it is to be stored, or what is wrong with it. */
type TextRule = (text: string) => { text: string } | { fault: Fault }

const NAME_LENGTH = 255
const TEXT_LENGTH = 2_000

/** Rule for the name of a collection, which is trimmed. */
export const nameRule: TextRule = (given) => {
  const text = given.trim()
  if (text === '' || [...text].length > NAME_LENGTH)
    return { fault: { code: 'collection_name.length', params: { max: NAME_LENGTH } } }
  return NOT_IN_LINE.test(text) ? { fault: { code: 'collection_name.characters' } } : { text }
}

/** Of its description, and of notes. */
export const freeTextRule: TextRule = (given) => readFreeText(given, TEXT_LENGTH)

const RULES: Record<string, TextRule> = {
  name: nameRule,
  description: freeTextRule,
  note: freeTextRule,
}

/**
 * The body of a request, its texts as they are to be stored; for a route with `attachValidation`.
 *
 * @param schema that the route validates it with
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` with everything that is wrong, by the schema and by the rules of texts
 */
export function readTexts<Schema extends TObject>(
  request: FastifyRequest,
  schema: Schema,
): Static<Schema> {
  const { readable, faults } = readBody<Record<string, unknown>>(
    request,
    Object.keys(schema.properties),
  )
  const normalized: Record<string, unknown> = { ...readable }
  for (const [field, rule] of Object.entries(RULES)) {
    const given = readable[field]
    if (typeof given !== 'string') continue
    const outcome = rule(given)
    if ('text' in outcome) normalized[field] = outcome.text
    else faults.push({ field, ...outcome.fault })
  }
  refuseFaults(faults)
  // as: the schema admits it, or it would have been refused
  return normalized as Static<Schema>
}
