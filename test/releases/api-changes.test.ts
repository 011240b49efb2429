import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { major } from 'semver'
import { readDocument } from '#test/openapi.ts'
import { breakingChanges } from './compare-apis.ts'
import { releasedVersions } from './released-database.ts'
import { readReleasedDocument } from './released-document.ts'

describe('the API', () => {
  it('has no breaking change since the last release of the same major version', async () => {
    const [document, version] = [readDocument(), releasedVersions().at(-1) ?? '']
    // as: the document of a release
    const released = (await readReleasedDocument(version)) as typeof document
    // The version in the document changes with the one in the URLs.
    if (major(document.info.version) > major(released.info.version)) return
    assert.deepEqual(
      breakingChanges(released, document),
      [],
      'CONTRIBUTING.md says how to change the API',
    )
  })
})

/** A document with one operation and its parts. */
const DOCUMENT = {
  components: {
    schemas: {
      Kind: { type: 'string', enum: ['A', 'B'] },
      Work: {
        type: 'object',
        required: ['id', 'kind', 'note'],
        properties: {
          id: { type: 'integer', format: 'int64' },
          kind: { $ref: '#/components/schemas/Kind' },
          note: { type: 'string' },
          created_at: { type: 'string', format: 'date-time' },
          count: { type: 'integer' },
          links: { type: 'object', additionalProperties: { type: 'string' } },
          parts: { type: 'array', items: { $ref: '#/components/schemas/Work' } },
          cover: {
            oneOf: [{ type: 'object', properties: { url: { type: 'string' } } }, { type: 'null' }],
          },
        },
      },
    },
    parameters: { Id: { in: 'path', name: 'id', required: true, schema: { type: 'integer' } } },
  },
  paths: {
    '/works/{id}': {
      put: {
        operationId: 'saveWork',
        security: [{ user: ['read', 'write'] }],
        parameters: [
          { $ref: '#/components/parameters/Id' },
          { in: 'query', name: 'kind', schema: { $ref: '#/components/schemas/Kind' } },
          { in: 'query', name: 'q', schema: { type: 'string', maxLength: 100 } },
          {
            in: 'query',
            name: 'fields',
            explode: false,
            schema: { type: 'array', items: { type: 'string' }, default: ['id'] },
          },
        ],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                required: ['name'],
                properties: {
                  name: { type: ['string', 'null'], minLength: 1 },
                  rate: { type: 'number', maximum: 10 },
                },
                additionalProperties: false,
              },
            },
            'text/csv': { schema: { type: 'string' } },
          },
        },
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Work' } } },
          },
          404: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['success', 'code'],
                  properties: { success: { const: false }, code: { type: 'string' } },
                },
              },
            },
          },
        },
      },
    },
  },
}

type Draft = {
  components: {
    schemas: Record<
      string,
      { required: string[]; enum?: string[]; properties: Record<string, object> }
    >
    parameters: Record<string, Record<string, unknown>>
  }
  paths: Record<string, Record<string, Draft['operation']>>
  operation: {
    operationId: string
    security: object[]
    parameters: Record<string, unknown>[]
    requestBody: { required?: boolean; content: Record<string, { schema: Draft['body'] }> }
    responses: Record<
      string,
      { headers: object; content: Record<string, { schema: Draft['body'] }> }
    >
  }
  body: {
    required: string[]
    properties: Record<string, Record<string, unknown>>
    additionalProperties: boolean
  }
}
type Change = (parts: {
  document: Draft
  error: Draft['body']
  operation: Draft['operation']
  body: Draft['body']
  work: Draft['components']['schemas'][string]
}) => void

/** Applies a change to a copy of the document. */
function changed(change: Change): object {
  // as: the document above, whose parts the changes may replace
  const document = structuredClone(DOCUMENT) as unknown as Draft
  const operation = document.paths['/works/{id}']?.['put']
  const body = operation?.requestBody.content['application/json']?.schema
  const work = document.components.schemas['Work']
  const error = operation?.responses['404']?.content['application/json']?.schema
  assert.ok(operation && body && work && error)
  change({ document, operation, body, work, error })
  return document
}

const BREAKING: [string, Change, RegExp][] = [
  [
    'an operation is removed',
    ({ document }) => delete document.paths['/works/{id}'],
    /was removed/,
  ],
  [
    'an operation is renamed',
    ({ operation }) => (operation.operationId = 'x'),
    /saveWork was renamed/,
  ],
  [
    'a scope is required',
    ({ operation }) => (operation.security = [{ user: ['admin'] }]),
    /suffices/,
  ],
  [
    'a parameter is removed',
    ({ operation }) => operation.parameters.splice(2, 1),
    /parameter q was removed/,
  ],
  [
    'a parameter is added and required',
    ({ operation }) => operation.parameters.push({ in: 'query', name: 'z', required: true }),
    /z is new and required/,
  ],
  [
    'a parameter becomes required',
    ({ operation }) => Object.assign(operation.parameters[2] ?? {}, { required: true }),
    /q became required/,
  ],
  [
    'a value of a parameter is removed',
    ({ document }) => document.components.schemas['Kind']?.enum?.pop(),
    /value B was removed/,
  ],
  [
    'a parameter is shortened',
    ({ operation }) =>
      Object.assign(operation.parameters[2] ?? {}, { schema: { type: 'string', maxLength: 10 } }),
    /maxLength was narrowed/,
  ],
  [
    'a parameter gets a pattern',
    ({ operation }) =>
      Object.assign(operation.parameters[2] ?? {}, {
        schema: { type: 'string', maxLength: 100, pattern: '^a' },
      }),
    /pattern was added/,
  ],
  [
    'a parameter gets another type',
    ({ operation }) =>
      Object.assign(operation.parameters[2] ?? {}, { schema: { type: 'integer' } }),
    /type string was removed/,
  ],
  [
    'the body becomes required',
    ({ operation }) => (operation.requestBody.required = true),
    /body became required/,
  ],
  [
    'a media type is removed',
    ({ operation }) => delete operation.requestBody.content['text/csv'],
    /text\/csv was removed/,
  ],
  [
    'a field of the body is removed',
    ({ body }) => delete body.properties['rate'],
    /rate was removed/,
  ],
  [
    'a field of the body becomes required',
    ({ body }) => body.required.push('rate'),
    /rate became required/,
  ],
  [
    'a field of the body is not nullable any more',
    ({ body }) => (body.properties['name'] = { type: 'string', minLength: 1 }),
    /type null was removed/,
  ],
  [
    'a number becomes an integer',
    ({ body }) => (body.properties['rate'] = { type: 'integer', maximum: 10 }),
    /type number was removed/,
  ],
  [
    'a bound is lowered',
    ({ body }) => (body.properties['rate'] = { type: 'number', maximum: 5 }),
    /maximum was narrowed/,
  ],
  [
    'a status of success is replaced',
    ({ operation }) => {
      operation.responses['201'] = operation.responses['200'] ?? assert.fail()
      delete operation.responses['200']
    },
    /status 200 was removed/,
  ],
  [
    'a header is removed',
    ({ operation }) => Object.assign(operation.responses['200'] ?? {}, { headers: {} }),
    /header ETag was removed/,
  ],
  [
    'a field of a response is removed',
    ({ work }) => delete work.properties['note'],
    /note was removed/,
  ],
  [
    'a field of a response becomes optional',
    ({ work }) => work.required.pop(),
    /note became optional/,
  ],
  [
    'a field of a response becomes nullable',
    ({ work }) => (work.properties['note'] = { type: ['string', 'null'] }),
    /type null is new/,
  ],
  [
    'a field of a response gets another type',
    ({ work }) => (work.properties['id'] = { type: 'string' }),
    /type string is new/,
  ],
  [
    'a form of a union is added',
    ({ work }) =>
      (work.properties['cover'] = {
        oneOf: [
          { type: 'string' },
          { type: 'object', properties: { url: { type: 'string' } } },
          { type: 'null' },
        ],
      }),
    /cover: .*string.* is new/,
  ],
  [
    'a field in a form of a union is removed',
    ({ work }) =>
      (work.properties['cover'] = {
        oneOf: [{ type: 'object', properties: {} }, { type: 'null' }],
      }),
    /url was removed/,
  ],
  [
    'an integer of a response gets 64 bits',
    ({ work }) => (work.properties['count'] = { type: 'integer', format: 'int64' }),
    /count: format was changed/,
  ],
  [
    'a field of a response gets another format',
    ({ work }) => (work.properties['created_at'] = { type: 'string', format: 'date' }),
    /created_at: format was changed/,
  ],
  [
    'a field of a response loses its format',
    ({ work }) => (work.properties['created_at'] = { type: 'string' }),
    /created_at: format was changed/,
  ],
  [
    'a constant of a response is changed',
    ({ error }) => (error.properties['success'] = { const: true }),
    /success: const was changed/,
  ],
  [
    'a response is closed',
    ({ work }) => Object.assign(work, { additionalProperties: false }),
    /Work: other fields are no longer permitted/,
  ],
  [
    'the values of a map get another type',
    ({ work }) =>
      (work.properties['links'] = { type: 'object', additionalProperties: { type: 'integer' } }),
    /links\{\}: type integer is new/,
  ],
  [
    'a field of an error is removed',
    ({ error }) => delete error.properties['code'],
    /404\.code was removed/,
  ],
  [
    'a parameter is serialized differently',
    ({ operation }) => delete operation.parameters[3]?.['explode'],
    /fields is serialized differently/,
  ],
  [
    'the default of a parameter is changed',
    ({ operation }) =>
      Object.assign(operation.parameters[3] ?? {}, {
        schema: { type: 'array', items: { type: 'string' }, default: ['id', 'name'] },
      }),
    /default of query parameter fields was changed/,
  ],
]

const COMPATIBLE: [string, Change][] = [
  [
    'an operation is added',
    ({ document, operation }) => (document.paths['/more'] = { get: operation }),
  ],
  [
    'an optional parameter is added',
    ({ operation }) => operation.parameters.push({ in: 'query', name: 'z' }),
  ],
  ['a value is added', ({ document }) => document.components.schemas['Kind']?.enum?.push('C')],
  ['a field of a response is added', ({ work }) => (work.properties['more'] = { type: 'string' })],
  ['a field of the body is added', ({ body }) => (body.properties['more'] = { type: 'string' })],
  ['fewer scopes are required', ({ operation }) => (operation.security = [{ user: ['read'] }])],
  ['a bound is raised', ({ body }) => (body.properties['rate'] = { type: 'number', maximum: 20 })],
  ['an error is removed', ({ operation }) => delete operation.responses['404']],
  [
    'an error is added',
    ({ operation }) => (operation.responses['409'] = operation.responses['404'] ?? assert.fail()),
  ],
  ['a field of an error is added', ({ error }) => (error.properties['more'] = { type: 'string' })],
  [
    'a default of OpenAPI is stated',
    ({ operation }) =>
      Object.assign(operation.parameters[2] ?? {}, { style: 'form', explode: true }),
  ],
  [
    'an enum becomes extensible',
    ({ document }) => delete document.components.schemas['Kind']?.enum,
  ],
  [
    'a field of a response is never null any more',
    ({ work }) =>
      (work.properties['cover'] = { type: 'object', properties: { url: { type: 'string' } } }),
  ],
]

describe('a comparison of two documents', () => {
  for (const [name, change, expected] of BREAKING)
    it(`reports that ${name}`, () => {
      assert.match(breakingChanges(DOCUMENT, changed(change)).join('\n'), expected)
    })

  for (const [name, change] of COMPATIBLE)
    it(`accepts that ${name}`, () => {
      assert.deepEqual(breakingChanges(DOCUMENT, changed(change)), [])
    })
})
