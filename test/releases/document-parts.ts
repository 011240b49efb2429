/** Part of an OpenAPI document. */
export type Json = Record<string, unknown>

export const asObject = (value: unknown): Json =>
  // as: absent and malformed parts of a document count as empty
  typeof value === 'object' && value !== null ? (value as Json) : {}
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
export const has = (object: Json, name: string) => Object.hasOwn(object, name)

/** Follows references to named parts of a document. */
export function resolve(document: Json, part: unknown): Json {
  const object = asObject(part)
  const { $ref } = object
  if (typeof $ref !== 'string') return object
  const target = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((place, key) => asObject(place)[key.replaceAll('~1', '/')], document)
  return resolve(document, target)
}

/** Returns the resolved parameters of an operation by place and name. */
export const parametersOf = (document: Json, operation: Json): Map<string, Json> =>
  new Map(
    asList(operation['parameters']).map((part) => {
      const parameter = resolve(document, part)
      return [`${String(parameter['in'])} parameter ${String(parameter['name'])}`, parameter]
    }),
  )

/** Returns how the values of a parameter are written, with the defaults of OpenAPI. */
export function serializationOf(parameter: Json): string {
  const isForm = parameter['in'] === 'query' || parameter['in'] === 'cookie'
  const { style = isForm ? 'form' : 'simple', explode = style === 'form' } = parameter
  return `${String(style)} ${String(explode)}`
}

/** Returns the forms of a union, including nested ones. Any other schema is its only form. */
export const alternativesOf = (document: Json, schema: Json): Json[] => {
  const forms = schema['oneOf'] ?? schema['anyOf']
  return Array.isArray(forms)
    ? forms.flatMap((form) => alternativesOf(document, resolve(document, form)))
    : [schema]
}

/** Returns the types of a schema, or those of its values if it has no type. */
export function typesOf(schema: Json): unknown[] {
  if (has(schema, 'type')) return [schema['type']].flat()
  const values = valuesOf(schema)
  return values ? [...new Set(values.map((value) => (value === null ? 'null' : typeof value)))] : []
}

export const valuesOf = (schema: Json): unknown[] | undefined =>
  has(schema, 'const')
    ? [schema['const']]
    : Array.isArray(schema['enum'])
      ? schema['enum']
      : undefined

export const nameOf = (schema: Json) =>
  typeof schema['title'] === 'string' ? schema['title'] : JSON.stringify(schema).slice(0, 80)
