import { enumValues, findSchemaName, formsOf, objectOf } from './document.ts'

type Json = Record<string, unknown>
type Schemas = ReadonlyMap<string, Json>

/** Returns a minimal example for a schema: its required fields, or one field if none is required. */
export function exampleOf(schema: Json, schemas: Schemas): unknown {
  const named = schemas.get(findSchemaName(schema) ?? '')
  if (named) return exampleOf(named, schemas)
  const [example] = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : []
  if (example !== undefined) return example
  if (schema['default'] !== undefined) return schema['default']
  if ('const' in schema) return schema['const']
  const [value] = enumValues(schema)
  if (value !== undefined) return value
  const [form] = formsOf(schema)
  if (form) return exampleOf(form, schemas)
  const type: unknown = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  if (type === 'integer' || type === 'number') return schema['minimum'] ?? 1
  if (type === 'boolean') return false
  if (type === 'array')
    return [exampleOf(objectOf(schema['items']), schemas)].filter((item) => item !== undefined)
  if (type === 'object') return exampleObject(schema, schemas)
  return type === 'string' ? '' : undefined
}

/** Returns an example for a parameter as text. */
export function exampleText(schema: Json, schemas: Schemas): string {
  const value = exampleOf(schema, schemas)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}

function exampleObject(schema: Json, schemas: Schemas): Json {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const properties = Object.entries(objectOf(schema['properties']))
  const chosen = properties.filter(([name]) => required.has(name))
  const informative = properties.filter(([, property]) =>
    Boolean(exampleOf(objectOf(property), schemas)),
  )
  const sent = chosen.length > 0 ? chosen : informative.slice(0, 1)
  return Object.fromEntries(
    sent
      .map(([name, property]) => [name, exampleOf(objectOf(property), schemas)] as const)
      .filter(([, value]) => value !== undefined),
  )
}
