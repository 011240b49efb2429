type Json = Record<string, unknown>
type Components = Record<'responses' | 'headers' | 'schemas', Json>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const objectsIn = (value: unknown): Json[] => (isObject(value) ? Object.values(value).filter(isObject) : [])

/**
 * Moves what operations of an OpenAPI document repeat to its components, with references in place: every refusal, by the
 * names of its examples (`LacksStatusReadOrBanned`), headers of answers, and enums that have a title. Generators then make
 * one type of each.
 *
 * @returns another document
 * @throws {Error} when two different things have one name
 */
export function hoistComponents(document: object): object {
  const hoisted: Components = { responses: {}, headers: {}, schemas: {} }
  // as: a document is JSON, and a copy of it is ours to change
  const copy = hoistEnums(structuredClone(document), hoisted) as Json
  for (const path of objectsIn(copy['paths']))
    for (const operation of objectsIn(path)) hoistResponses(operation['responses'], hoisted)
  const components = isObject(copy['components']) ? copy['components'] : {}
  const schemas = sorted({
    ...(isObject(components['schemas']) && components['schemas']),
    ...hoisted.schemas,
  })
  const { responses, headers } = hoisted
  return {
    ...copy,
    components: { ...components, schemas, responses: sorted(responses), headers: sorted(headers) },
  }
}

/** In an order that a new operation does not turn over. */
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

/** @returns undefined of an answer that is not the same for several operations */
function nameOfResponse(status: string, { content }: Json): string | undefined {
  if (status === '304') return 'NotModified'
  if (Number(status) < 400 || !isObject(content)) return undefined
  const [examples] = objectsIn(content).map((media) => media['examples'])
  return isObject(examples) ? Object.keys(examples).map(toPascalCase).join('Or') : undefined
}

const toPascalCase = (name: string) =>
  name
    .split(/\W+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The same value with a reference in the place of each enum that has a title; what else is said of it stays beside. */
function hoistEnums(value: unknown, hoisted: Components): unknown {
  if (Array.isArray(value)) return value.map((item) => hoistEnums(item, hoisted))
  if (!isObject(value)) return value
  const { title, enum: values, type, ...beside } = value
  if (typeof title === 'string' && Array.isArray(values)) {
    const strings = values.filter((one) => one !== null)
    const reference = hoist('schemas', title, { type: 'string', title, enum: strings }, hoisted)
    const isNullable = Array.isArray(type) && type.includes('null')
    return { ...(isNullable ? { anyOf: [reference, { type: 'null' }] } : reference), ...beside }
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hoistEnums(inner, hoisted)]))
}

function hoist(kind: keyof Components, name: string, value: unknown, hoisted: Components) {
  const known = hoisted[kind][name]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(value))
    throw new Error(`Two different ${kind} of the document are named ${name}`)
  hoisted[kind][name] = value
  return { $ref: `#/components/${kind}/${name}` }
}
