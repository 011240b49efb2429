import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it, mock } from 'node:test'
import {
  rewritePictureUrls,
  encodedData,
  type CachedResponse,
  type QueriedResponse,
} from './cached-response.ts'
import type { PictureUrls } from '../../http/wire/picture-urls.ts'
import { ResponseCache } from './response-cache.ts'

const KEY = 'galgame/1'
const found = (data: string): QueriedResponse => ({ nsfw: false, data })
const dataOf = (response: CachedResponse | undefined) => response && encodedData(response)

/** Starts loading a galgame. The test resolves the load. */
function loadOf(cache: ResponseCache, key = KEY) {
  const { promise, resolve } = Promise.withResolvers<QueriedResponse>()
  return { loaded: cache.load(key, () => promise), resolve }
}

/** Starts loading several galgames, and records the requested ids. The test resolves the load. */
function loadManyOf(cache: ResponseCache, ...ids: number[]) {
  const { promise, resolve, reject } = Promise.withResolvers<Map<number, QueriedResponse>>()
  const requested: number[] = []
  const loaded = cache.loadMany(new Map(ids.map((id) => [`galgame/${id}`, id])), (notLoading) => {
    requested.push(...notLoading)
    return promise
  })
  return {
    loaded,
    requested,
    reject,
    resolve: (...data: [number, string][]) =>
      resolve(new Map(data.map(([id, text]) => [id, found(text)]))),
  }
}

const INVALIDATIONS = [
  ['one entry', (cache: ResponseCache) => cache.invalidate(KEY)],
  ['everything', (cache: ResponseCache) => cache.clear()],
] as const

describe('cached responses', () => {
  it('are invalidated one at a time without affecting other responses', async () => {
    const cache = new ResponseCache(10_000)
    await cache.load(KEY, async () => found('1'))
    await cache.load('galgame/2', async () => found('2'))
    cache.invalidate(KEY)
    assert.equal(cache.get(KEY), undefined)
    assert.equal(dataOf(cache.get('galgame/2')), '2')
  })

  for (const [name, invalidate] of INVALIDATIONS) {
    it(`do not include a response read before ${name} was invalidated, and later requests do not wait for it`, async () => {
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

    it(`come from the load that started after ${name} was invalidated, even if an earlier load ends first`, async () => {
      const cache = new ResponseCache(10_000)
      const before = loadOf(cache)
      invalidate(cache)
      const after = loadOf(cache)
      before.resolve(found('old'))
      await before.loaded
      assert.equal(cache.get(KEY), undefined)
      const shared = cache.load(KEY, () => assert.fail('requested again'))
      after.resolve(found('new'))
      assert.equal(dataOf(await shared), 'new')
    })

    it(`include the responses of a batch, except those read before ${name} was invalidated`, async () => {
      const cache = new ResponseCache(10_000)
      const batch = loadManyOf(cache, 1, 2)
      invalidate(cache)
      const detail = loadOf(cache)
      batch.resolve([1, 'old'], [2, 'two'])
      const loaded = await batch.loaded
      assert.deepEqual([dataOf(loaded.get(1)), dataOf(loaded.get(2))], ['old', 'two'])
      assert.equal(cache.get(KEY), undefined)
      assert.equal(dataOf(cache.get('galgame/2')), name === 'everything' ? undefined : 'two')
      detail.resolve(found('new'))
      await detail.loaded
      assert.equal(dataOf(cache.get(KEY)), 'new')
    })
  }

  it('are loaded again after a failed load', async () => {
    const cache = new ResponseCache(10_000)
    await assert.rejects(
      cache.load(KEY, () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal(dataOf(await cache.load(KEY, async () => found('1'))), '1')
  })
})

describe('a full cache', () => {
  const MAX_BYTES = 1_048_576
  const BODY_BYTES = 4_096
  const KEYS = Array.from({ length: (2 * MAX_BYTES) / BODY_BYTES }, (_, id) => `galgame/${id}`)
  /** Half of the body is compressible. */
  const bodyOf = (key: string) =>
    key.padEnd(BODY_BYTES / 2) + randomBytes(BODY_BYTES / 4).toString('hex')

  it('holds at least 80 % of the usual number of responses if clients request each one in every encoding', async () => {
    const cache = new ResponseCache(MAX_BYTES)
    for (const key of KEYS) {
      const response = await cache.load(key, async () => found(bodyOf(key)))
      for (const encoding of ['br', 'gzip'] as const)
        if (response) await cache.openCompressed(response, `"${key}-${encoding}"`, encoding)
    }
    const { responses, bytes } = cache.size
    assert.ok(responses >= (0.8 * MAX_BYTES) / (BODY_BYTES + 400), `${responses} responses`)
    assert.ok(bytes > 0.9 * MAX_BYTES && bytes <= MAX_BYTES, `${bytes} bytes`)
  })

  it('counts the picture URLs sent with a response toward its size', async () => {
    const cache = new ResponseCache(MAX_BYTES)
    const pictureUrls = {
      rewriteJson: (body: string) => body.padEnd(2 * BODY_BYTES),
    } as PictureUrls
    for (const key of KEYS) {
      const response = await cache.load(key, async () => found(bodyOf(key)))
      if (response) rewritePictureUrls(response, pictureUrls)
    }
    const { responses, bytes } = cache.size
    assert.ok(
      responses * 2 * BODY_BYTES <= MAX_BYTES && bytes <= MAX_BYTES,
      `${responses} responses`,
    )
  })

  it('compresses a body once for concurrent and later requests', async () => {
    const cache = new ResponseCache(MAX_BYTES)
    const response = await cache.load(KEY, async () => found(bodyOf(KEY)))
    assert.ok(response)
    const open = () => cache.openCompressed(response, '"1-br"', 'br')
    const [first, second] = await Promise.all([open(), open()])
    assert.equal(first, second)
    assert.equal(open(), first)
  })
})

describe('a response made stale by a rating', () => {
  const failToConnect = () =>
    Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
  const MINUTE = 60_000

  async function staleCache() {
    const cache = new ResponseCache(10_000)
    await cache.load(KEY, async () => found('old'))
    cache.invalidate(KEY)
    return cache
  }

  it('is served while the database is unavailable, for single requests and batches', async () => {
    const cache = await staleCache()
    assert.equal(cache.get(KEY), undefined, 'a stale response is not served by `get`')
    assert.equal(dataOf(await cache.load(KEY, failToConnect)), 'old')
    const batch = await cache.loadMany(new Map([[KEY, 1]]), failToConnect)
    assert.equal(dataOf(batch.get(1)), 'old')
  })

  it('is served immediately while the database is known to be unavailable, until the next load succeeds', async () => {
    const cache = await staleCache()
    await cache.load(KEY, failToConnect)
    const pending = loadOf(cache)
    assert.equal(dataOf(await pending.loaded), 'old')
    pending.resolve(found('new'))
    await new Promise(setImmediate)
    assert.equal(dataOf(cache.get(KEY)), 'new')
  })

  it('is not served once the database is back', async () => {
    const cache = await staleCache()
    await cache.load(KEY, failToConnect)
    cache.invalidate('galgame/2')
    assert.equal(dataOf(await cache.load(KEY, async () => found('new'))), 'new')
  })

  it('is not served once another response has been loaded', async () => {
    const cache = await staleCache()
    await cache.load(KEY, failToConnect)
    await cache.load('galgame/2', async () => found('two'))
    assert.equal(dataOf(await cache.load(KEY, async () => found('new'))), 'new')
  })

  it('is not served during or after any other failure', async () => {
    const cache = await staleCache()
    await assert.rejects(
      cache.load(KEY, () => Promise.reject(new Error('syntax error'))),
      /syntax error/,
    )
    assert.equal(dataOf(await cache.load(KEY, async () => found('new'))), 'new')
  })

  it('is dropped when the catalog changes, even during a load', async () => {
    for (const moment of ['before', 'during']) {
      const cache = await staleCache()
      if (moment === 'before') cache.clear()
      const load = cache.load(KEY, failToConnect)
      if (moment === 'during') cache.clear()
      await assert.rejects(load, /away/, moment)
    }
  })

  it('is dropped when its entry no longer exists', async () => {
    const cache = await staleCache()
    assert.equal(await cache.load(KEY, async () => undefined), undefined)
    await assert.rejects(cache.load(KEY, failToConnect), /away/)
  })

  it('is served for a minute, counted from the first rating', async () => {
    const now = Math.floor(performance.now())
    const clock = mock.method(performance, 'now', () => now)
    try {
      const cache = await staleCache()
      clock.mock.mockImplementation(() => now + MINUTE - 1)
      cache.invalidate(KEY)
      assert.equal(dataOf(await cache.load(KEY, failToConnect)), 'old')
      clock.mock.mockImplementation(() => now + MINUTE)
      await assert.rejects(cache.load(KEY, failToConnect), /away/)
    } finally {
      clock.mock.restore()
    }
  })
})

describe('a batch load', () => {
  it('reuses a detail that is already loading and requests the rest in one call', async () => {
    const cache = new ResponseCache(10_000)
    const detail = loadOf(cache)
    const batch = loadManyOf(cache, 2, 1, 3)
    assert.deepEqual(batch.requested, [2, 3])
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

  it('serves requests for details and other batches that arrive during the load', async () => {
    const cache = new ResponseCache(10_000)
    const batch = loadManyOf(cache, 1, 2)
    const detail = cache.load(KEY, () => assert.fail('requested again'))
    const other = loadManyOf(cache, 2, 1)
    assert.deepEqual(other.requested, [])
    batch.resolve([1, 'one'], [2, 'two'])
    assert.equal(dataOf(await detail), 'one')
    assert.deepEqual(await other.loaded, new Map([...(await batch.loaded)].toReversed()))
  })

  it('fails all waiting requests if it fails, and is retried', async () => {
    const cache = new ResponseCache(10_000)
    const batch = loadManyOf(cache, 1, 2)
    const detail = cache.load(KEY, () => assert.fail('requested again'))
    batch.reject(new Error('away'))
    await assert.rejects(batch.loaded, /away/)
    await assert.rejects(detail, /away/)
    assert.equal(dataOf(await cache.load(KEY, async () => found('1'))), '1')
  })
})
