import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hoistComponents } from './components.ts'

const refusal = (names: string[], message = 'no') => ({
  description: 'No',
  content: {
    'application/json': {
      examples: Object.fromEntries(names.map((name) => [name, { value: message }])),
    },
  },
})
const document = (responses: object, schema: object = {}) => ({
  paths: { '/a': { get: { responses } }, '/b': { get: { responses } } },
  components: { schemas: { A: schema }, securitySchemes: { user: {} } },
})

describe('hoistComponents', () => {
  it('creates named components for refusals, 304 responses, headers, and objects and enums with a title', () => {
    const status = { type: 'string', enum: ['GOING', 'PLAN'], title: 'Status' }
    const responses = {
      200: { description: 'Yes', headers: { ETag: { schema: { type: 'string' } } } },
      304: { description: 'Known' },
      404: refusal(['notFound', 'merged']),
      403: refusal(['lacks:status:read']),
    }
    const nullable = {
      ...status,
      type: ['string', 'null'],
      enum: ['GOING', 'PLAN', null],
      description: 'How far',
    }
    const counts = { type: 'object', title: 'Counts', properties: { status } }
    assert.deepEqual(
      hoistComponents(document(responses, { properties: { status, nullable, counts } })),
      {
        ...document(
          {
            200: { description: 'Yes', headers: { ETag: { $ref: '#/components/headers/ETag' } } },
            304: { $ref: '#/components/responses/NotModified' },
            404: { $ref: '#/components/responses/NotFoundOrMerged' },
            403: { $ref: '#/components/responses/LacksStatusRead' },
          },
          {},
        ),
        components: {
          securitySchemes: { user: {} },
          schemas: {
            A: {
              properties: {
                status: { $ref: '#/components/schemas/Status' },
                nullable: {
                  anyOf: [{ $ref: '#/components/schemas/Status' }, { type: 'null' }],
                  description: 'How far',
                },
                counts: { $ref: '#/components/schemas/Counts' },
              },
            },
            Counts: { ...counts, properties: { status: { $ref: '#/components/schemas/Status' } } },
            Status: status,
          },
          responses: {
            LacksStatusRead: refusal(['lacks:status:read']),
            NotFoundOrMerged: refusal(['notFound', 'merged']),
            NotModified: { description: 'Known' },
          },
          headers: { ETag: { schema: { type: 'string' } } },
          parameters: {},
        },
      },
    )
  })

  it('names shared parameters by name, or by tag and name if the name is taken, and leaves others inline', () => {
    const id = { in: 'path', name: 'id', schema: { type: 'integer' } }
    const idOrDefault = { ...id, schema: { type: 'string' } }
    const once = { in: 'query', name: 'sort', schema: { type: 'string' } }
    const operations = (...[first, second, third]: object[][]) => ({
      '/a': {
        get: { tags: ['galgames'], parameters: first },
        put: { tags: ['galgames'], parameters: first },
      },
      '/b': {
        get: { tags: ['own lists'], parameters: second },
        put: { tags: ['own lists'], parameters: third },
      },
    })
    const ref = { $ref: '#/components/parameters/Id' }
    const ofLists = { $ref: '#/components/parameters/OwnListsId' }
    const { paths, components } = Object(
      hoistComponents({ paths: operations([id], [idOrDefault, once], [idOrDefault]) }),
    )
    assert.deepEqual(paths, operations([ref], [ofLists, once], [ofLists]))
    assert.deepEqual(components.parameters, { Id: id, OwnListsId: idOrDefault })
  })

  it('writes a nullable scalar as one schema and a single-value enum as a constant', () => {
    const text = { type: 'string', maxLength: 5 }
    const given = {
      name: { anyOf: [text, { type: 'null' }], description: 'Of the work' },
      success: { type: 'boolean', enum: [true] },
      other: { anyOf: [{ $ref: '#/components/schemas/B' }, { type: 'null' }] },
    }
    const { components } = Object(hoistComponents(document({}, { properties: given })))
    assert.deepEqual(components.schemas.A.properties, {
      name: { type: ['string', 'null'], maxLength: 5, description: 'Of the work' },
      success: { type: 'boolean', const: true },
      other: given.other,
    })
  })

  it('throws if one name refers to two different things', () => {
    const paths = {
      '/a': { get: { responses: { 404: refusal(['notFound']) } } },
      '/b': { get: { responses: { 404: refusal(['notFound'], 'never') } } },
    }
    assert.throws(() => hoistComponents({ paths }), /Two different responses .* NotFound/)
  })

  it('leaves the original document unchanged', () => {
    const given = document({ 404: refusal(['notFound']) })
    const before = structuredClone(given)
    hoistComponents(given)
    assert.deepEqual(given, before)
  })
})
