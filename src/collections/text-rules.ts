import type { FastifyRequest } from 'fastify'
import type { Static, TObject } from 'typebox'
import { readFreeText } from '../http/wire/requests/free-text.ts'
import type { Fault } from '../http/wire/errors/fault.ts'
import { readBody, refuseFaults } from '../http/wire/requests/validation.ts'
import { NOT_IN_LINE } from '../kernel/printable.ts'

type TextRule = (text: string) => { text: string } | { fault: Fault }

const MAX_NAME_LENGTH = 255
const MAX_TEXT_LENGTH = 2_000

export const nameRule: TextRule = (given) => {
  const text = given.trim()
  if (text === '' || [...text].length > MAX_NAME_LENGTH)
    return { fault: { code: 'collection_name.length', params: { max: MAX_NAME_LENGTH } } }
  return NOT_IN_LINE.test(text) ? { fault: { code: 'collection_name.characters' } } : { text }
}

export const freeTextRule: TextRule = (given) => readFreeText(given, MAX_TEXT_LENGTH)

const RULES: Record<string, TextRule> = {
  name: nameRule,
  description: freeTextRule,
  note: freeTextRule,
}

/**
 * Returns a request's body with its text fields normalized. The route must have `attachValidation`.
 *
 * @param schema schema of the route's body
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` with all violations of the schema and of the rules for text
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
  // as: the schema has validated the body
  return normalized as Static<Schema>
}
