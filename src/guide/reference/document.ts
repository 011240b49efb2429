import { isJsonObject } from '../../kernel/is-json-object.ts'

type Json = Record<string, unknown>

/** Who may call an operation; `anybody`: it takes no token. */
type Audience = { kind: 'application' | 'user' | 'developer'; scope: string }

export type ApiParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  isRequired: boolean
  /** Of the parameter, and of each of its values where it has several. */
  descriptions: string[]
  schema: Json
}

export type ApiAnswer = {
  status: string
  /** Empty where it would repeat the summary. */
  description: string
  /** Names of headers, with what they say. */
  headers: [name: string, description: string][]
  /** Of JSON; missing: it has another body or none. */
  schema: Json | undefined
  examples: [name: string, value: unknown][]
}

/** An operation of the API, with all that is said of it in one place. */
export type ApiOperation = {
  id: string
  method: string
  path: string
  /** Its part of the API, by the name in the document, and as pages call it. */
  tag: string
  tagTitle: string
  summary: string
  /** What a filter looks through. */
  searched: string
  /** Without who may call it, which stands by itself. */
  description: string
  audiences: Audience[]
  parameters: ApiParameter[]
  body: { types: string[]; isRequired: boolean; schema: Json } | undefined
  answers: ApiAnswer[]
}

type ApiError = { status: string; code: string; message: string }

/** The OpenAPI document, as its pages need it. */
export type ApiReference = {
  version: string
  tags: { name: string; title: string; description: string; operations: ApiOperation[] }[]
  operations: ReadonlyMap<string, ApiOperation>
  schemas: ReadonlyMap<string, Json>
  /** Every refusal once, by status and code; of those that differ by a name, one. */
  errors: ApiError[]
  /** Meanings of error codes in the language of the reference; empty for English. */
  meanings: ReadonlyMap<string, string>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Reads the document that the routes have made. */
export function readReference(document: unknown): ApiReference {
  const root = objectOf(document)
  const components = objectOf(root['components'])
  const operations = Object.entries(objectOf(root['paths'])).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = objectOf(item)[method]
      return isJsonObject(operation) ? [operationOf(method, path, operation, components)] : []
    }),
  )
  const tags = listOf(root['tags']).map((tag) => ({
    name: stringOf(tag['name']),
    title: stringOf(tag['name']),
    description: stringOf(tag['description']),
    operations: operations.filter((operation) => operation.tag === stringOf(tag['name'])),
  }))
  return {
    version: stringOf(objectOf(root['info'])['version']),
    tags: tags.filter((tag) => tag.operations.length > 0),
    operations: new Map(operations.map((operation) => [operation.id, operation])),
    schemas: new Map(
      Object.entries(objectOf(components['schemas'])).map(([name, schema]) => [
        name,
        objectOf(schema),
      ]),
    ),
    errors: errorsIn(operations),
    meanings: new Map(),
  }
}

function operationOf(
  method: string,
  path: string,
  operation: Json,
  components: Json,
): ApiOperation {
  const security = listOf(operation['security']).flatMap((one) => Object.entries(one))
  const content = objectOf(objectOf(operation['requestBody'])['content'])
  const types = Object.keys(content)
  const id = stringOf(operation['operationId'])
  const tag = Array.isArray(operation['tags']) ? stringOf(operation['tags'][0]) : ''
  const summary = stringOf(operation['summary'])
  return {
    id,
    method: method.toUpperCase(),
    path,
    tag,
    tagTitle: tag,
    summary,
    searched: [method, path, summary, id, tag].join(' '),
    description: withoutAccess(stringOf(operation['description'])),
    audiences: security.flatMap(([kind, scopes]) =>
      kind === 'application' || kind === 'user' || kind === 'developer'
        ? [{ kind, scope: Array.isArray(scopes) ? stringOf(scopes[0]) : '' }]
        : [],
    ),
    parameters: listOf(operation['parameters'])
      .map((parameter) => parameterIn(resolve(parameter, components)))
      .toSorted(byPlace),
    body:
      types.length === 0
        ? undefined
        : {
            types,
            isRequired: objectOf(operation['requestBody'])['required'] === true,
            schema: objectOf(objectOf(content[types[0] ?? ''])['schema']),
          },
    answers: Object.entries(objectOf(operation['responses'])).map(([status, answer]) =>
      answerOf(status, resolve(answer, components), { components, summary }),
    ),
  }
}

/** Drops the last paragraph, which in every operation says who may call it. */
const withoutAccess = (description: string) => description.split('\n\n').slice(0, -1).join(' ')

/** What the path names comes first. */
const byPlace = (one: ApiParameter, other: ApiParameter) =>
  Number(other.in === 'path') - Number(one.in === 'path')

function parameterIn(parameter: Json): ApiParameter {
  const place = parameter['in']
  const schema = objectOf(parameter['schema'])
  return {
    name: stringOf(parameter['name']),
    in: place === 'path' || place === 'header' ? place : 'query',
    isRequired: parameter['required'] === true,
    descriptions: [
      stringOf(objectOf(schema['items'])['description']),
      stringOf(parameter['description']) || stringOf(schema['description']),
    ].filter((text) => text !== ''),
    schema,
  }
}

function answerOf(
  status: string,
  answer: Json,
  { components, summary }: { components: Json; summary: string },
): ApiAnswer {
  const json = objectOf(objectOf(answer['content'])['application/json'])
  const description = stringOf(answer['description'])
  return {
    status,
    description: description === summary ? '' : description,
    headers: Object.entries(objectOf(answer['headers'])).map(([name, header]) => [
      name,
      stringOf(resolve(header, components)['description']),
    ]),
    schema: isJsonObject(json['schema']) ? json['schema'] : undefined,
    examples: Object.entries(objectOf(json['examples'])).map(([name, example]) => [
      name,
      objectOf(example)['value'],
    ]),
  }
}

/** Their messages name a field or a scope, and are the same otherwise. */
const DIFFER_BY_NAME = new Set(['AUTH_FORBIDDEN', 'COMMON_VALIDATION_FAILED'])

function errorsIn(operations: ApiOperation[]): ApiError[] {
  const found = operations
    .flatMap(({ answers }) => answers.filter(({ status }) => Number(status) >= 400))
    .flatMap(({ status, examples }) =>
      examples.map(([, value]) => {
        const { code, message } = objectOf(objectOf(value)['error'])
        return { status, code: stringOf(code), message: stringOf(message) }
      }),
    )
  const once = Map.groupBy(
    found,
    ({ status, code, message }) => `${status} ${code} ${DIFFER_BY_NAME.has(code) ? '' : message}`,
  )
  return [...once.values()]
    .flatMap(([first]) => first ?? [])
    .toSorted((one, other) =>
      `${one.status} ${one.code}` < `${other.status} ${other.code}` ? -1 : 1,
    )
}

const REFERENCE = /^#\/components\/(\w+)\/(.+)$/

/** What a reference leads to, or the value itself. */
function resolve(value: unknown, components: Json): Json {
  const object = objectOf(value)
  const [, kind = '', name = ''] = REFERENCE.exec(stringOf(object['$ref'])) ?? []
  return kind === '' ? object : objectOf(objectOf(components[kind])[name])
}

/** The name of the schema that is referred to. */
export function findSchemaName(schema: Json): string | undefined {
  const [, kind, name] = REFERENCE.exec(stringOf(schema['$ref'])) ?? []
  return kind === 'schemas' ? name : undefined
}

export const objectOf = (value: unknown): Json => (isJsonObject(value) ? value : {})
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the alternatives of a schema, including null. */
export const formsOf = (schema: Json): Json[] => listOf(schema['anyOf'] ?? schema['oneOf'])
