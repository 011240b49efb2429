import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { encodedData, type CachedResponse, type QueriedResponse } from './cached-response.ts'
import { ResponseCache } from './response-cache.ts'

const KEY = 'galgame/1'
const found = (data: string): QueriedResponse => ({ nsfw: false, data })
const dataOf = (response: CachedResponse | undefined) => response && encodedData(response)

/** A load that ends when the test says so. */
function loadOf(cache: ResponseCache, key = KEY) {
  const { promise, resolve } = Promise.withResolvers<QueriedResponse>()
  return { loaded: cache.load(key, () => promise), resolve }
}

/** A load of several galgames that ends when the test says so, and which of them it asked for. */
function loadManyOf(cache: ResponseCache, ...ids: number[]) {
  const { promise, resolve, reject } = Promise.withResolvers<Map<number, QueriedResponse>>()
  const asked: number[] = []
  const loaded = cache.loadMany(new Map(ids.map((id) => [`galgame/${id}`, id])), (unasked) => {
    asked.push(...unasked)
    return promise
  })
  return {
    loaded,
    asked,
    reject,
    resolve: (...data: [number, string][]) => resolve(new Map(data.map(([id, text]) => [id, found(text)]))),
  }
}

const INVALIDATIONS = [
  ['one entry', (cache: ResponseCache) => cache.invalidate(KEY)],
  ['everything', (cache: ResponseCache) => cache.clear()],
] as const

describe('cached answers', () => {
  it('are dropped one by one, and the others stay', async () => {
    const cache = new ResponseCache(10_000)
    await cache.load(KEY, async () => found('1'))
    await cache.load('galgame/2', async () => found('2'))
    cache.invalidate(KEY)
    assert.equal(cache.get(KEY), undefined)
    assert.equal(dataOf(cache.get('galgame/2')), '2')
  })

  for (const [words, invalidate] of INVALIDATIONS) {
    it(`are none that were read before ${words} was invalidated, and nobody waits for those`, async () => {
      const cache = new ResponseCache(10_000)
      const before = loadOf(cache)
      invalidate(cache)
      const after = loadOf(cache)
      after.resolve(found('new'))
      assert.equal(dataOf(await after.loaded), 'new')
      before.resolve(found('old'))
      assert.equal(dataOf(await before.loaded), 'old')
      assert.equal(dataOf(cache.get(KEY)), 'new')
    })

    it(`are of the later load after ${words} was invalidated, though the earlier ends first`, async () => {
      const cache = new ResponseCache(10_000)
      const before = loadOf(cache)
      invalidate(cache)
      const after = loadOf(cache)
      before.resolve(found('old'))
      await before.loaded
      assert.equal(cache.get(KEY), undefined)
      const shared = cache.load(KEY, () => assert.fail('asked again'))
      after.resolve(found('new'))
      assert.equal(dataOf(await shared), 'new')
    })

    it(`are those of a batch save what was read before ${words} was invalidated`, async () => {
      const cache = new ResponseCache(10_000)
      const batch = loadManyOf(cache, 1, 2)
      invalidate(cache)
      const detail = loadOf(cache)
      batch.resolve([1, 'old'], [2, 'two'])
      const loaded = await batch.loaded
      assert.deepEqual([dataOf(loaded.get(1)), dataOf(loaded.get(2))], ['old', 'two'])
      assert.equal(cache.get(KEY), undefined)
      assert.equal(dataOf(cache.get('galgame/2')), words === 'everything' ? undefined : 'two')
      detail.resolve(found('new'))
      await detail.loaded
      assert.equal(dataOf(cache.get(KEY)), 'new')
    })
  }

  it('are asked for again after a load that failed', async () => {
    const cache = new ResponseCache(10_000)
    await assert.rejects(
      cache.load(KEY, () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal(dataOf(await cache.load(KEY, async () => found('1'))), '1')
  })
})

describe('a batch of answers', () => {
  it('takes what a detail is loading, and asks for the rest at once', async () => {
    const cache = new ResponseCache(10_000)
    const detail = loadOf(cache)
    const batch = loadManyOf(cache, 2, 1, 3)
    assert.deepEqual(batch.asked, [2, 3])
    batch.resolve([2, 'two'])
    detail.resolve(found('one'))
    const loaded = await batch.loaded
    assert.deepEqual(
      [...loaded].map(([id, response]) => [id, dataOf(response)]),
      [
        [2, 'two'],
        [1, 'one'],
        [3, undefined],
      ],
    )
    assert.equal(dataOf(cache.get('galgame/2')), 'two')
    assert.equal(cache.get('galgame/3'), undefined)
  })

  it('brings what a detail and another batch ask for meanwhile', async () => {
    const cache = new ResponseCache(10_000)
    const batch = loadManyOf(cache, 1, 2)
    const detail = cache.load(KEY, () => assert.fail('asked again'))
    const other = loadManyOf(cache, 2, 1)
    assert.deepEqual(other.asked, [])
    batch.resolve([1, 'one'], [2, 'two'])
    assert.equal(dataOf(await detail), 'one')
    assert.deepEqual(await other.loaded, new Map([...(await batch.loaded)].toReversed()))
  })

  it('that failed fails all who wait for it, and is asked for again', async () => {
    const cache = new ResponseCache(10_000)
    const batch = loadManyOf(cache, 1, 2)
    const detail = cache.load(KEY, () => assert.fail('asked again'))
    batch.reject(new Error('away'))
    await assert.rejects(batch.loaded, /away/)
    await assert.rejects(detail, /away/)
    assert.equal(dataOf(await cache.load(KEY, async () => found('1'))), '1')
  })
})
