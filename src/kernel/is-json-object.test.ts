import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isJsonObject, parseJsonObject } from './is-json-object.ts'

describe('a JSON value', () => {
  it('is an object unless it is null, an array or a scalar', () => {
    assert.ok(isJsonObject({}))
    for (const value of [null, [], 'a', 1, true, undefined]) assert.ok(!isJsonObject(value))
  })

  it('is parsed from a string only if the string contains an object', () => {
    assert.deepEqual(parseJsonObject('{"a":1}'), { a: 1 })
    for (const text of ['[]', 'null', '{', '']) assert.equal(parseJsonObject(text), undefined)
  })
})
