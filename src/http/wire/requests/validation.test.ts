import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Type, type TSchema } from 'typebox'
import { ApiError } from '../errors/errors.ts'
import { toFieldError } from '../errors/fault.ts'
import { faultsIn, isId, parseId, readBody, refuseFaults, validatorCompiler } from './validation.ts'

/** Validates a value with the compiler used for routes. */
function judge(schema: TSchema, httpPart: string, value: unknown) {
  const validate = validatorCompiler()({ schema, httpPart, method: 'PUT', url: '/' })
  const admitted = validate(value) === true
  // as: a compiled Ajv schema carries its errors
  const { errors } = validate as { errors?: Parameters<typeof faultsIn>[0] | null }
  return { admitted, faults: faultsIn(errors ?? []).map(toFieldError) }
}

const refusalOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof ApiError)
    return error
  }
  throw new assert.AssertionError({ message: 'nothing was refused' })
}

describe('parseId', () => {
  it('accepts only positive safe integers in plain decimal form', () => {
    for (const text of ['1', '42', '9007199254740991']) {
      assert.equal(isId(text), true)
      assert.equal(parseId(text), Number(text))
    }
    for (const text of [
      '',
      '0',
      '-1',
      '+1',
      '01',
      '1.0',
      '1e3',
      '0x1',
      ' 1',
      '1 ',
      '１',
      '9007199254740992',
      '9'.repeat(17),
    ]) {
      assert.equal(isId(text), false, text)
      assert.equal(refusalOf(() => parseId(text)).code, 'COMMON_NOT_FOUND')
    }
  })
})

describe('validatorCompiler', () => {
  const schema = Type.Object(
    {
      count: Type.Optional(Type.Integer({ minimum: 1 })),
      rate: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
    },
    { additionalProperties: false },
  )

  it('coerces a query but takes a body exactly as sent', () => {
    const query = { count: '3' }
    assert.equal(judge(schema, 'querystring', query).admitted, true)
    assert.deepEqual(query, { count: 3 })
    const body = { rate: null }
    assert.equal(judge(schema, 'body', body).admitted, true)
    assert.deepEqual(body, { rate: null })
    for (const wrong of [{ count: '3' }, { rate: '8' }, { rate: [8] }, [], 'text', null])
      assert.equal(judge(schema, 'body', wrong).admitted, false, JSON.stringify(wrong))
    assert.equal(judge(schema, 'params', { count: 'x' }).admitted, true)
  })

  it('accepts common spellings of booleans in a query, but only true and false in a body', () => {
    const flags = Type.Object({
      scored: Type.Optional(Type.Boolean()),
      name: Type.Optional(Type.String()),
    })
    for (const [expected, texts] of [
      [true, ['true', 'True', 'TRUE', '1']],
      [false, ['false', 'False', 'FALSE', '0']],
    ] as const)
      for (const scored of texts) {
        const query = { scored, name: scored }
        assert.equal(judge(flags, 'querystring', query).admitted, true, scored)
        assert.deepEqual(query, { scored: expected, name: scored })
        assert.equal(judge(flags, 'body', { scored }).admitted, false, scored)
      }
    for (const scored of ['maybe', 'yes', '2', 'constructor', ['1', '0']])
      assert.equal(judge(flags, 'querystring', { scored }).admitted, false, String(scored))
  })

  it('reports each invalid field once', () => {
    const both = Type.Object(
      { ...schema.properties, role: Type.Union([Type.Literal('A')]) },
      { additionalProperties: false },
    )
    assert.deepEqual(
      judge(both, 'body', { count: 0.5, rate: 'x', extra: 1 })
        .faults.map(({ field, code }) => [field, code])
        .toSorted(),
      [
        ['count', 'type'],
        ['extra', 'additionalProperties'],
        ['rate', 'type'],
        ['role', 'required'],
      ],
    )
    assert.deepEqual(judge(schema, 'body', 'text').faults, [
      { field: 'body', message: 'must be an object', code: 'type' },
    ])
    const one = Type.Object({ list: Type.Array(Type.Unsafe({ type: 'string', enum: ['A', 'B'] })) })
    assert.deepEqual(judge(one, 'body', { list: ['A', 'C'] }).faults, [
      { field: 'list.1', message: 'must be one of A, B', code: 'enum' },
    ])
    const orNull = Type.Object({
      status: Type.Unsafe({ type: ['string', 'null'], enum: ['A', null] }),
    })
    assert.deepEqual(judge(orNull, 'body', { status: 'a' }).faults, [
      { field: 'status', message: 'must be one of A, null', code: 'enum' },
    ])
  })
})

describe('a partly invalid body', () => {
  it('keeps the fields that the schema admits', () => {
    const fault = {
      keyword: 'type',
      instancePath: '/rate',
      schemaPath: '',
      params: { type: 'number' },
      message: 'must be number',
    }
    const validationError = Object.assign(new Error('wrong'), {
      validation: [fault],
      validationContext: 'body' as const,
    })
    const body = { rate: 'x', status: 'GOING', extra: 1 }
    assert.deepEqual(readBody({ body, validationError }, ['rate', 'status']), {
      readable: { status: 'GOING' },
      faults: [{ field: 'rate', kind: 'type', code: 'schema.type', params: { type: 'number' } }],
    })
    assert.deepEqual(readBody({ body }, ['rate']), { readable: body, faults: [] })
  })

  it('is rejected with the first fault in each field, up to 100 fields', () => {
    refuseFaults([])
    const faults = Array.from({ length: 150 }, (_, index) => ({
      field: `f${index}`,
      code: 'schema.invalid' as const,
    }))
    const {
      status,
      message,
      faults: reported,
    } = refusalOf(() =>
      refuseFaults(faults.flatMap((fault) => [fault, { ...fault, code: 'schema.empty' as const }])),
    )
    assert.deepEqual(
      [status, message],
      [422, '150 fields are not valid: f0, f1, f2, f3, f4 and 145 more.'],
    )
    assert.deepEqual(reported, faults.slice(0, 100))
  })

  it('is rejected with a short message that names the fields, with details in field_errors', () => {
    const sentence = (...fields: string[]) =>
      refusalOf(() =>
        refuseFaults(fields.map((field) => ({ field, code: 'schema.invalid' as const }))),
      ).message
    assert.equal(sentence('role'), 'role is not valid.')
    assert.equal(sentence('a', 'list.1'), '2 fields are not valid: a, list.1.')
    assert.equal(sentence('n'.repeat(5_000)), `${'n'.repeat(60)}… is not valid.`)
  })
})
