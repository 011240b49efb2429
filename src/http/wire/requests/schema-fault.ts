import type { ErrorObject } from 'ajv'
import type { Fault } from '../errors/fault.ts'
import { enumFault } from '../errors/refusals.ts'

type SchemaFault = Pick<ErrorObject, 'keyword' | 'params' | 'message' | 'parentSchema'>

/** Fault codes, keyed by the schema keyword that a value violates. */
const LIMITS: Readonly<Record<string, Fault['code']>> = {
  minimum: 'schema.minimum',
  maximum: 'schema.maximum',
  minLength: 'schema.min_length',
  maxLength: 'schema.max_length',
  minItems: 'schema.min_items',
  maxItems: 'schema.max_items',
  minProperties: 'schema.min_fields',
  maxProperties: 'schema.max_fields',
}

const FORMATS: Readonly<Record<string, Fault['code']>> = {
  date: 'schema.date',
  'date-time': 'schema.date_time',
  uri: 'schema.uri',
}

const PLAIN: Readonly<Record<string, Fault['code']>> = {
  required: 'schema.required',
  additionalProperties: 'schema.unknown_field',
  uniqueItems: 'schema.repeated_item',
  anyOf: 'schema.invalid',
  oneOf: 'schema.invalid',
}

/** Returns the fault for a schema violation. */
export function schemaFault({ keyword, params, message, parentSchema }: SchemaFault): Fault {
  const limit = LIMITS[keyword]
  if (limit !== undefined) return limitFault(keyword, limit, Number(params['limit']))
  const plain = PLAIN[keyword]
  if (plain !== undefined) return { code: plain }
  const [example]: unknown[] = parentSchema?.['examples'] ?? []
  const allowed: unknown = params['allowedValues']
  const format = String(params['format'])
  switch (keyword) {
    case 'type':
      return typeFault([params['type']].flat().map(String))
    case 'enum':
      return enumFault([allowed].flat())
    case 'const':
      return { code: 'schema.const', params: { value: JSON.stringify(params['allowedValue']) } }
    case 'format':
      return { code: FORMATS[format] ?? 'schema.format', params: { format } }
    case 'pattern':
      return typeof example === 'string'
        ? { code: 'schema.example', params: { example } }
        : { code: 'schema.pattern', params: { pattern: String(params['pattern']) } }
    default:
      return { code: 'schema.other', params: { message: message ?? keyword } }
  }
}

const limitFault = (keyword: string, code: Fault['code'], limit: number): Fault =>
  keyword.startsWith('min') && keyword !== 'minimum' && limit === 1
    ? { code: 'schema.empty' }
    : { code, params: { limit } }

function typeFault(types: string[]): Fault {
  const names = types.flatMap((type) => type.split(','))
  const type = names.filter((name) => name !== 'null').join(' or ') || 'null'
  const isNullable = names.length > 1 && names.includes('null')
  return { code: isNullable ? 'schema.type_or_null' : 'schema.type', params: { type } }
}
