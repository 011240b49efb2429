import assert from 'node:assert/strict'
import { it } from 'node:test'
import { isJsonObject } from './is-json-object.ts'

it('a value of JSON is an object unless it is null, a list or a scalar', () => {
  assert.ok(isJsonObject({}))
  for (const value of [null, [], 'a', 1, true, undefined]) assert.ok(!isJsonObject(value))
})
