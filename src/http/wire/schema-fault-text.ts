import type { ErrorObject } from 'ajv'

type SchemaFault = Pick<ErrorObject, 'keyword' | 'params' | 'message' | 'parentSchema'>

const TYPES: Record<string, string> = {
  number: 'a number',
  integer: 'a whole number',
  string: 'a string',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

const FORMATS: Record<string, string> = {
  date: 'must be a date, such as 2004-04-28',
  'date-time': 'must be a date and time, such as 2026-11-25T12:00:00Z',
  uri: 'must be an absolute address, such as https://example.org/',
}

/** Units of the limits that have one, by the second half of their keyword. */
const UNITS: Record<string, string> = { Length: 'characters', Items: 'items', Properties: 'fields' }

/** Describes, in words that follow the field's name, the rule a value violates. */
export function schemaFaultText({
  keyword,
  params,
  message = 'is not valid',
  parentSchema,
}: SchemaFault): string {
  const [, bound, counted] = /^(min|max)(imum|Length|Items|Properties)$/.exec(keyword) ?? []
  if (counted !== undefined) return limitText(bound === 'min', Number(params['limit']), UNITS[counted])
  const [example]: unknown[] = parentSchema?.['examples'] ?? []
  const allowed: unknown = params['allowedValues']
  switch (keyword) {
    case 'type':
      return `must be ${typesOf(params['type'])}`
    case 'enum':
      return Array.isArray(allowed) ? `must be one of ${allowed.map(String).join(', ')}` : message
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`
    case 'required':
      return 'is required'
    case 'additionalProperties':
      return 'is not a known field'
    case 'format':
      return FORMATS[String(params['format'])] ?? `must have the format ${String(params['format'])}`
    case 'pattern':
      return typeof example === 'string'
        ? `must be written like ${example}`
        : `must match the pattern ${String(params['pattern'])}`
    case 'uniqueItems':
      return 'must not contain the same item twice'
    case 'anyOf':
    case 'oneOf':
      return 'is not valid'
    default:
      return message
  }
}

function limitText(isMinimum: boolean, limit: number, unit: string | undefined): string {
  if (isMinimum && limit === 1 && unit) return 'must not be empty'
  return ['must', unit ? 'have' : 'be', isMinimum ? 'at least' : 'at most', limit, unit ?? '']
    .join(' ')
    .trimEnd()
}

const typesOf = (type: unknown): string =>
  String(type)
    .split(',')
    .map((name) => TYPES[name] ?? name)
    .join(' or ')
