import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hoistComponents } from './components.ts'

const refusal = (names: string[], message = 'no') => ({
  description: 'No',
  content: {
    'application/json': { examples: Object.fromEntries(names.map((name) => [name, { value: message }])) },
  },
})
const document = (responses: object, schema: object = {}) => ({
  paths: { '/a': { get: { responses } }, '/b': { get: { responses } } },
  components: { schemas: { A: schema }, securitySchemes: { user: {} } },
})

describe('what operations of the document repeat', () => {
  it('is a component with a name: refusals of their examples, 304, headers and enums with a title', () => {
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
    assert.deepEqual(hoistComponents(document(responses, { properties: { status, nullable } })), {
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
            },
          },
          Status: status,
        },
        responses: {
          LacksStatusRead: refusal(['lacks:status:read']),
          NotFoundOrMerged: refusal(['notFound', 'merged']),
          NotModified: { description: 'Known' },
        },
        headers: { ETag: { schema: { type: 'string' } } },
      },
    })
  })

  it('is refused when one name stands for two things', () => {
    const paths = {
      '/a': { get: { responses: { 404: refusal(['notFound']) } } },
      '/b': { get: { responses: { 404: refusal(['notFound'], 'never') } } },
    }
    assert.throws(() => hoistComponents({ paths }), /Two different responses .* NotFound/)
  })

  it('leaves the document it was made of as it is', () => {
    const given = document({ 404: refusal(['notFound']) })
    const before = structuredClone(given)
    hoistComponents(given)
    assert.deepEqual(given, before)
  })
})
