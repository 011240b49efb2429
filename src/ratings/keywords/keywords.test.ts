import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, workPathOf, writeRating, type Work } from '#test/ratings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../../accounts/ban-queries.ts'
import { countKeywords, wordsOf } from './keywords.ts'

describeOnDatabase('a work’s keyword list', (engine) => {
  let service: TestService
  let token: string
  let works: number[]
  before(async () => {
    service = await shareService(engine)
    token = await service.token('catalog:read')
    works = (await sampleWorks(service.db)).light_novel
  })
  after(() => service.close())

  const newWork = (): Work => ({ kind: 'light_novel', id: works.pop() ?? 0 })
  /** Writes one review per user. @returns the users */
  async function review(work: Work, texts: string[], more: object = {}) {
    const users = await createAccounts(service.db, texts.length)
    for (const [index, user] of users.entries())
      await writeRating(service.db, user, work, { rate_content: texts[index] ?? '', ...more })
    return users
  }
  const keywordsOf = async (work: Work) => {
    const { status, data } = await sendApiRequest(service.url, {
      token,
      path: `${workPathOf(work)}/rates/keywords`,
    })
    assert.equal(status, 200)
    const path = `/api/v3/light-novels/${work.id}/rates/keywords`
    assert.deepEqual((await sendApiRequest(service.url, { path })).data, data)
    return data.items
  }

  it('contains words from several reviews in three languages, most frequent first', async () => {
    const work = newWork()
    await review(work, [
      '剧情很感人，角色塑造非常好。',
      '剧情一般，角色不错。',
      'The ending is great. 剧情!',
      'A great ENDING: see https://example.org/great-ending or mail great@example.org',
      'この物語の結末は素晴らしい',
      '素晴らしい物語だった',
    ])
    const items = await keywordsOf(work)
    assert.deepEqual(items[0], { keyword: '剧情', count: 3 })
    const words = new Set(items.map(({ keyword }: { keyword: string }) => keyword))
    for (const word of ['角色', 'ending', 'great', '物語']) assert.ok(words.has(word), word)
    for (const word of ['感人', 'the', 'example', 'https', 'この'])
      assert.ok(!words.has(word), word)
  })

  it('excludes words from a single review, copied text, spoilers and hidden reviews', async () => {
    const work = newWork()
    await review(work, ['quiet secret', 'quiet'])
    await review(work, ['planted words', 'planted words', 'planted words'])
    await review(work, ['betrayal here', 'betrayal again'], { is_spoiler: true })
    await review(work, ['private diary', 'private notes'], { status_private: true })
    assert.deepEqual(await keywordsOf(work), [{ keyword: 'quiet', count: 2 }])
  })

  it('is updated when a review changes or its author is banned', async () => {
    const work = newWork()
    const [first = 0, second = 0] = await review(work, [
      'melancholy',
      'melancholy indeed',
      'sunset',
    ])
    assert.deepEqual(await keywordsOf(work), [{ keyword: 'melancholy', count: 2 }])
    await writeRating(service.db, first, work, { rate_content: 'sunset over there' })
    assert.deepEqual(await keywordsOf(work), [{ keyword: 'sunset', count: 2 }])
    await banAccount(service.db, first, 'a test')
    await banAccount(service.db, second, 'a test')
    assert.deepEqual(await keywordsOf(work), [])
  })

  it('returns 404 for a work that does not exist', async () => {
    for (const path of [
      '/v3/light-novels/999999999/rates/keywords',
      '/v3/galgames/abc/rates/keywords',
    ])
      assert.equal((await service.get(path, token)).status, 404)
    assert.equal((await service.get('/v3/light-novels/1/rates/keywords')).status, 401)
  })
})

describe('countKeywords', () => {
  it('requires a keyword to occur in more reviews if the work has many reviews', async () => {
    const texts = Array.from(
      { length: 200 },
      (_, index) => `common number${'abcdefghij'[index % 10]} ${'x'.repeat(3 + (index % 17))}`,
    )
    const planted = Array.from(
      { length: 4 },
      (_, index) => `planted${' word'.repeat(index)} ${'y'.repeat(3 + index)}`,
    )
    const keywords = await countKeywords([...texts, ...planted])
    assert.equal(keywords[0]?.keyword, 'common')
    assert.ok(!keywords.some(({ keyword }) => keyword === 'planted'))
  })

  it('ignores width and case, and drops words above the maximum length', () => {
    assert.deepEqual([...wordsOf('Ｆａｎｔａｓｙ FANTASY fantasy')], ['fantasy'])
    assert.deepEqual([...wordsOf('a'.repeat(5_000))], [])
  })
})
