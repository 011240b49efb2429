type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const MAX_INT32 = 2 ** 31 - 1

/**
 * Rewrites a document, without changing its meaning, for generators of strictly typed clients. Nullable references
 * become `oneOf`, since NSwag does not read `anyOf`. Unions of works of different kinds get a discriminator. Integers beyond 32
 * bits get a format. Response schemas allow additional fields.
 *
 * @param document modified in place; its schemas are in `components`
 */
export function adaptToGenerators(document: Json) {
  const components = isObject(document['components']) ? document['components'] : {}
  const schemas = isObject(components['schemas']) ? components['schemas'] : {}
  const sent = new Set<string>()
  for (const body of requestBodiesIn(document['paths'])) noteSchemas(body, schemas, sent)
  eachObject(document, (schema) => {
    makeNullableOneOf(schema)
    nameDiscriminator(schema, schemas)
    nameLargeIntegers(schema)
  })
  for (const [name, schema] of Object.entries(schemas))
    if (!sent.has(name)) eachObject(schema, open)
  eachObject(components['responses'], open)
  for (const { responses } of operationsIn(document['paths'])) eachObject(responses, open)
}

const operationsIn = (paths: unknown): Json[] =>
  isObject(paths)
    ? Object.values(paths)
        .filter(isObject)
        .flatMap((path) => Object.values(path).filter(isObject))
    : []

const requestBodiesIn = (paths: unknown) =>
  operationsIn(paths).map(({ requestBody }) => requestBody)

/** Adds the names of all schemas that a value refers to. */
function noteSchemas(value: unknown, schemas: Json, names: Set<string>) {
  eachObject(value, ({ $ref: reference }) => {
    const name = typeof reference === 'string' ? reference.replace('#/components/schemas/', '') : ''
    if (!(name in schemas) || names.has(name)) return
    names.add(name)
    noteSchemas(schemas[name], schemas, names)
  })
}

/** Visits every object in a value, except examples, which are data rather than schemas. */
function eachObject(value: unknown, visit: (object: Json) => void) {
  if (Array.isArray(value)) for (const item of value) eachObject(item, visit)
  if (!isObject(value)) return
  visit(value)
  for (const [name, inner] of Object.entries(value))
    if (name !== 'example' && name !== 'examples') eachObject(inner, visit)
}

function makeNullableOneOf(schema: Json) {
  const { anyOf } = schema
  if (
    !Array.isArray(anyOf) ||
    anyOf.length !== 2 ||
    !anyOf.some((item) => isObject(item) && item['type'] === 'null')
  )
    return
  delete schema['anyOf']
  schema['oneOf'] = anyOf
}

/** Adds a discriminator to a union if each of its schemas has a constant `work_type`. */
function nameDiscriminator(union: Json, schemas: Json) {
  const { anyOf } = union
  if (!Array.isArray(anyOf)) return
  const mapping = anyOf.flatMap((form) => {
    const reference = isObject(form) ? String(form['$ref']) : ''
    const schema = schemas[reference.replace('#/components/schemas/', '')]
    const properties =
      isObject(schema) && isObject(schema['properties']) ? schema['properties'] : {}
    const type = properties[DISCRIMINATOR]
    return isObject(type) && 'const' in type ? [[type['const'], reference]] : []
  })
  if (mapping.length === anyOf.length)
    union['discriminator'] = {
      propertyName: DISCRIMINATOR,
      mapping: Object.fromEntries(mapping) as Json,
    }
}

const DISCRIMINATOR = 'work_type'

function nameLargeIntegers(schema: Json) {
  if (isInteger(schema) && Number(schema['maximum']) > MAX_INT32) schema['format'] = 'int64'
  const { properties } = schema
  if (!isObject(properties)) return
  for (const [name, property] of Object.entries(properties))
    if (/(^|_)id$/.test(name) && isObject(property) && isInteger(property))
      property['format'] = 'int64'
}

const isInteger = ({ type }: Json) => [type].flat().includes('integer')

function open(schema: Json) {
  if (schema['additionalProperties'] === false) delete schema['additionalProperties']
}
