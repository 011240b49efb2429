import type { ErrorObject } from 'ajv'

type SchemaFault = Pick<ErrorObject, 'keyword' | 'params' | 'message'>

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

/** Describes, in words that follow the field's name, the rule a value violates. */
export function schemaFaultText({ keyword, params, message = 'is not valid' }: SchemaFault): string {
  const limit = String(params['limit'])
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
      return `must match the pattern ${String(params['pattern'])}`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'minLength':
      return `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return `must have at least ${limit} items`
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'minProperties':
      return `must have at least ${limit} fields`
    case 'maxProperties':
      return `must have at most ${limit} fields`
    case 'uniqueItems':
      return 'must not contain the same item twice'
    case 'anyOf':
    case 'oneOf':
      return 'is not valid'
    default:
      return message
  }
}

const typesOf = (type: unknown): string =>
  String(type)
    .split(',')
    .map((name) => TYPES[name] ?? name)
    .join(' or ')
