import { isJsonObject } from '../../kernel/is-json-object.ts'
import { OPEN_ENUM } from '../../http/wire/schemas.ts'
import { foldText } from '../fold-text.ts'

type Json = Record<string, unknown>

/** Kind of token and scope required by an operation. */
type Audience = { kind: 'application' | 'user' | 'developer'; scope: string }

export type ApiParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  isRequired: boolean
  /** Descriptions of the items, if it is a list, and of the parameter. */
  descriptions: string[]
  schema: Json
}

export type DocumentedResponse = {
  status: string
  /** Empty if it would repeat the summary. */
  description: string
  /** Header names with descriptions. */
  headers: [name: string, description: string][]
  /** Schema of a JSON body. Undefined for other bodies, or if there is no body. */
  schema: Json | undefined
  examples: [name: string, value: unknown][]
}

/** Operation of the API, with everything the document says about it. */
export type ApiOperation = {
  id: string
  method: string
  path: string
  /** Tag as named in the document; `tagTitle` is its translation. */
  tag: string
  tagTitle: string
  /** Verb and object, by which all pages name the operation. Different for each operation. */
  title: string
  /** Empty if it would repeat the title. */
  summary: string
  /** Folded text to search. */
  searched: string
  /** Description without the access paragraph, which is shown separately. */
  description: string
  audiences: Audience[]
  parameters: ApiParameter[]
  body: { types: string[]; isRequired: boolean; schema: Json } | undefined
  responses: DocumentedResponse[]
}

type ApiError = { status: string; code: string; message: string }

/** OpenAPI document in the form that the pages need. */
export type ApiReference = {
  version: string
  tags: { name: string; title: string; description: string; operations: ApiOperation[] }[]
  operations: ReadonlyMap<string, ApiOperation>
  schemas: ReadonlyMap<string, Json>
  /** Errors that differ in status or code. Messages that differ only by a name are listed once. */
  errors: ApiError[]
  /** Meanings of error codes in the language of the reference. Empty for English. */
  meanings: ReadonlyMap<string, string>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Reads the document generated from the routes. */
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
  const security = listOf(operation['security']).flatMap((item) => Object.entries(item))
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
    title: titleOf(id),
    summary,
    searched: foldText([method, path, summary, id, titleOf(id), tag].join(' ')),
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
    responses: Object.entries(objectOf(operation['responses'])).map(([status, response]) =>
      documentedResponseOf(status, resolve(response, components), { components, summary }),
    ),
  }
}

/** Splits an operationId into words: `listTagWorks` becomes `List tag works`. */
function titleOf(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim()
  return words.slice(0, 1).toUpperCase() + words.slice(1)
}

/** Drops the last paragraph, which describes access in every operation. */
const withoutAccess = (description: string) => description.split('\n\n').slice(0, -1).join(' ')

/** Sorts path parameters first. */
const byPlace = (a: ApiParameter, b: ApiParameter) =>
  Number(b.in === 'path') - Number(a.in === 'path')

function parameterIn(parameter: Json): ApiParameter {
  const location = parameter['in']
  const schema = objectOf(parameter['schema'])
  return {
    name: stringOf(parameter['name']),
    in: location === 'path' || location === 'header' ? location : 'query',
    isRequired: parameter['required'] === true,
    descriptions: [
      stringOf(objectOf(schema['items'])['description']),
      stringOf(parameter['description']) || stringOf(schema['description']),
    ].filter((text) => text !== ''),
    schema,
  }
}

function documentedResponseOf(
  status: string,
  response: Json,
  { components, summary }: { components: Json; summary: string },
): DocumentedResponse {
  const json = objectOf(objectOf(response['content'])['application/json'])
  const description = stringOf(response['description'])
  return {
    status,
    description: description === summary ? '' : description,
    headers: Object.entries(objectOf(response['headers'])).map(([name, header]) => [
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

/** Codes whose messages differ only by the name of a field or scope. */
const DIFFER_BY_NAME = new Set(['AUTH_FORBIDDEN', 'COMMON_VALIDATION_FAILED'])

function errorsIn(operations: ApiOperation[]): ApiError[] {
  const found = operations
    .flatMap(({ responses }) => responses.filter(({ status }) => Number(status) >= 400))
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
    .toSorted((a, b) => (`${a.status} ${a.code}` < `${b.status} ${b.code}` ? -1 : 1))
}

const REFERENCE = /^#\/components\/(\w+)\/(.+)$/

/** Resolves a reference, or returns the value itself. */
function resolve(value: unknown, components: Json): Json {
  const object = objectOf(value)
  const [, kind = '', name = ''] = REFERENCE.exec(stringOf(object['$ref'])) ?? []
  return kind === '' ? object : objectOf(objectOf(components[kind])[name])
}

/** Returns the name of the referenced schema. */
export function findSchemaName(schema: Json): string | undefined {
  const [, kind, name] = REFERENCE.exec(stringOf(schema['$ref'])) ?? []
  return kind === 'schemas' ? name : undefined
}

export const objectOf = (value: unknown): Json => (isJsonObject(value) ? value : {})
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])
export const stringOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns the known values of a closed or extensible enum. */
export function enumValues(schema: Json): unknown[] {
  const values = schema['enum'] ?? schema[OPEN_ENUM]
  return Array.isArray(values) ? values : []
}

/** Returns the alternatives of a schema, including null. */
export const formsOf = (schema: Json): Json[] => listOf(schema['anyOf'] ?? schema['oneOf'])
