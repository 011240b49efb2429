import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ResponseCache, type QueriedResponse } from './response-cache.ts'

const KEY = 'galgame/1'
const found = (data: string): QueriedResponse => ({ nsfw: false, data })

/** A load that ends when the test says so. */
function loadOf(answers: ResponseCache, key = KEY) {
  const { promise, resolve } = Promise.withResolvers<QueriedResponse>()
  return { loaded: answers.load(key, '', () => promise), resolve }
}

describe('the answers that are kept', () => {
  it('forget one entry and keep the others', async () => {
    const answers = new ResponseCache(10_000)
    await answers.load(KEY, '', async () => found('1'))
    await answers.load('galgame/2', '', async () => found('2'))
    answers.invalidate(KEY)
    assert.equal(answers.get(KEY), undefined)
    assert.equal(answers.get('galgame/2')?.body, '2')
  })

  for (const [words, forget] of [
    ['one entry', (answers: ResponseCache) => answers.invalidate(KEY)],
    ['everything', (answers: ResponseCache) => answers.clear()],
  ] as const) {
    it(`keep nothing that was read before ${words} was forgotten, and do not wait for it`, async () => {
      const answers = new ResponseCache(10_000)
      const before = loadOf(answers)
      forget(answers)
      const after = loadOf(answers)
      after.resolve(found('new'))
      assert.equal((await after.loaded)?.body, 'new')
      before.resolve(found('old'))
      assert.equal((await before.loaded)?.body, 'old')
      assert.equal(answers.get(KEY)?.body, 'new')
    })

    it(`share the later load after ${words} was forgotten, though the earlier ends first`, async () => {
      const answers = new ResponseCache(10_000)
      const before = loadOf(answers)
      forget(answers)
      const after = loadOf(answers)
      before.resolve(found('old'))
      await before.loaded
      assert.equal(answers.get(KEY), undefined)
      const shared = answers.load(KEY, '', () => assert.fail('asked again'))
      after.resolve(found('new'))
      assert.equal((await shared)?.body, 'new')
    })
  }

  it('ask again after a load that failed', async () => {
    const answers = new ResponseCache(10_000)
    await assert.rejects(
      answers.load(KEY, '', () => Promise.reject(new Error('away'))),
      /away/,
    )
    assert.equal((await answers.load(KEY, '', async () => found('1')))?.body, '1')
  })
})
