import { OPEN_ENUM } from '../wire/schemas.ts'

type Json = Record<string, unknown>
type Components = Record<'responses' | 'headers' | 'parameters' | 'schemas', Json>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectsIn = (value: unknown): Json[] =>
  isObject(value) ? Object.values(value).filter(isObject) : []

/**
 * Moves repeated parts of an OpenAPI document to its components and replaces them with references. These are refusals,
 * named after their examples (`LacksStatusReadOrBanned`), response headers, parameters, and schemas with a title.
 * Generators then create one type for each.
 *
 * @returns a new document
 * @throws {Error} if two different things have the same name
 */
export function hoistComponents(document: object): Json {
  const hoisted: Components = { responses: {}, headers: {}, parameters: {}, schemas: {} }
  // as: the document is JSON, and the copy may be modified
  const copy = hoistSchemas(structuredClone(document), hoisted) as Json
  const operations = objectsIn(copy['paths']).flatMap(objectsIn)
  for (const operation of operations) hoistResponses(operation['responses'], hoisted)
  const components = isObject(copy['components']) ? copy['components'] : {}
  const schemas = sorted({
    ...(isObject(components['schemas']) && components['schemas']),
    ...hoisted.schemas,
  })
  hoistParameters(operations, hoisted, schemas)
  const { responses, headers, parameters } = hoisted
  return {
    ...copy,
    components: {
      ...components,
      schemas,
      responses: sorted(responses),
      headers: sorted(headers),
      parameters: sorted(parameters),
    },
  }
}

/** Sorts by name, so that a new operation does not reorder the components. */
const sorted = (entries: Json): Json =>
  Object.fromEntries(Object.entries(entries).toSorted(([one], [other]) => (one < other ? -1 : 1)))

function hoistResponses(responses: unknown, hoisted: Components) {
  if (!isObject(responses)) return
  for (const [status, response] of Object.entries(responses)) {
    if (!isObject(response)) continue
    if (isObject(response['headers']))
      response['headers'] = Object.fromEntries(
        Object.entries(response['headers']).map(([name, header]) => [
          name,
          hoist('headers', name, header, hoisted),
        ]),
      )
    const name = nameOfResponse(status, response)
    if (name !== undefined) responses[status] = hoist('responses', name, response, hoisted)
  }
}

/** @returns `undefined` for a response that is specific to its operation */
function nameOfResponse(status: string, { content }: Json): string | undefined {
  if (status === '304') return 'NotModified'
  if (Number(status) < 400 || !isObject(content)) return undefined
  const [examples] = objectsIn(content).map((media) => media['examples'])
  return isObject(examples) ? Object.keys(examples).map(toPascalCase).join('Or') : undefined
}

const toPascalCase = (name: string) =>
  name
    .split(/[\W_]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/**
 * Hoists parameters that several operations share. If different parameters have the same name, the first keeps it and
 * the others are prefixed with the tag of their operation (`CollectionsId`). A parameter with the name of a schema
 * also gets the prefix, because some generators would declare that type twice.
 */
function hoistParameters(operations: Json[], hoisted: Components, schemas: Json) {
  const parametersOf = ({ parameters }: Json) =>
    Array.isArray(parameters) ? parameters.filter(isObject) : []
  const times = new Map<string, number>()
  for (const parameter of operations.flatMap(parametersOf)) {
    const text = JSON.stringify(parameter)
    times.set(text, (times.get(text) ?? 0) + 1)
  }
  for (const operation of operations) {
    const parameters = parametersOf(operation)
    if (parameters.length === 0) continue
    operation['parameters'] = parameters.map((parameter) => {
      const text = JSON.stringify(parameter)
      if (times.get(text) === 1) return parameter
      const plain = toPascalCase(String(parameter['name']))
      const isTaken =
        plain in schemas || JSON.stringify(hoisted.parameters[plain] ?? parameter) !== text
      const [tag] = Array.isArray(operation['tags']) ? operation['tags'] : []
      return hoist(
        'parameters',
        isTaken ? toPascalCase(`${tag} ${plain}`) : plain,
        parameter,
        hoisted,
      )
    })
  }
}

/**
 * Replaces each object or enum that has a title with a reference, including extensible enums. Other
 * properties of an enum stay next to the reference.
 */
function hoistSchemas(value: unknown, hoisted: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistSchemas(item, hoisted))
  if (!isObject(value)) return value
  const { title, enum: closed, [OPEN_ENUM]: open, type, ...rest } = value
  const values = closed ?? open
  if (typeof title === 'string' && Array.isArray(values)) {
    const strings = values.filter((item) => item !== null)
    const keyword = closed ? 'enum' : OPEN_ENUM
    const reference = hoist(
      'schemas',
      title,
      { type: 'string', title, [keyword]: strings },
      hoisted,
    )
    const isNullable = Array.isArray(type) && type.includes('null')
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...rest }
  }
  const schema = shorten(
    Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, hoistSchemas(inner, hoisted)]),
    ),
  )
  return typeof title === 'string' && type === 'object'
    ? hoist('schemas', title, schema, hoisted)
    : schema
}

/**
 * Shortens a schema: a nullable scalar becomes one schema with two types, and a single-value enum becomes a constant.
 */
function shorten(schema: Json): Json {
  const { anyOf, enum: values, ...rest } = schema
  if (Array.isArray(values) && values.length === 1) return { ...rest, const: values[0] }
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [first, second]: unknown[] = anyOf
  const isScalar =
    isObject(first) && SCALARS.has(first['type']) && !('enum' in first) && !('const' in first)
  if (!isScalar || !isObject(second) || second['type'] !== 'null') return schema
  return { ...first, ...rest, type: [first['type'], 'null'] }
}

const SCALARS = new Set<unknown>(['string', 'integer', 'number', 'boolean'])

function hoist(kind: keyof Components, name: string, value: unknown, hoisted: Components) {
  const known = hoisted[kind][name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value))
    throw new Error(`Two different ${kind} of the document are named ${name}`)
  hoisted[kind][name] = value
  return { $ref: `#/components/${kind}/${name}` }
}
