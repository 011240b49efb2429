import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoize } from './memoize.ts'

describe('a memoized function', () => {
  /** Number of times each value has been computed. */
  function counted(max?: number) {
    const computed: string[] = []
    const find = memoize((text) => {
      computed.push(text)
      return text.length > 0 ? text.length : undefined
    }, max)
    return { computed, find }
  }

  it('computes each value only once, even if the value is undefined', () => {
    const { computed, find } = counted()
    assert.deepEqual([find('a'), find('a'), find(''), find('')], [1, 1, undefined, undefined])
    assert.deepEqual(computed, ['a', ''])
  })

  it('evicts the least recently used value', () => {
    const { computed, find } = counted(2)
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) find(text)
    assert.deepEqual(computed, ['a', 'b', 'c', 'b'])
  })

  it('does not cache the value for a string longer than 200 characters', () => {
    const { computed, find } = counted()
    for (const length of [200, 200, 201, 201]) assert.equal(find('x'.repeat(length)), length)
    assert.deepEqual(
      computed.map((text) => text.length),
      [200, 201, 201],
    )
  })
})
