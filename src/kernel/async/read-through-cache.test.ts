import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ReadThroughCache } from './read-through-cache.ts'

describe('a read-through cache', () => {
  const open = () => new ReadThroughCache<string | boolean>({ max: 2, ttl: 60_000 })
  const reader = (values: (string | boolean)[]) => async () => values.shift() ?? 'none left'

  it('reads each value only once, even if the value is false', async () => {
    const cache = open()
    const read = reader([false, 'later'])
    assert.deepEqual([await cache.get('a', read), await cache.get('a', read)], [false, false])
  })

  it('evicts the least recently used value', async () => {
    const cache = open()
    for (const key of ['a', 'b', 'c']) await cache.get(key, async () => `first ${key}`)
    assert.equal(await cache.get('c', async () => 'second'), 'first c')
    assert.equal(await cache.get('a', async () => 'second'), 'second')
  })

  it('reads again after a clear, and does not cache a value whose read began before the clear', async () => {
    const cache = open()
    const read = reader(['old', 'slow', 'new', 'newer'])
    assert.equal(await cache.get('a', read), 'old')
    cache.clear()
    const slow = Promise.withResolvers<string>()
    const pending = cache.get('a', () => slow.promise)
    cache.clear()
    slow.resolve('stale')
    assert.equal(await pending, 'stale')
    assert.equal(await cache.get('a', read), 'slow')
    assert.equal(await cache.get('a', read), 'slow')
  })
})
