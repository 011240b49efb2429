import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, waitForTotals, writeRating, type Work } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { signIn, type SignedInUser } from '#test/user-api.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { deleteRating } from '../../ratings/own/queries.ts'

describeOnDatabase('a review on a page that is cached for guests', (engine) => {
  let service: TestService
  let me: SignedInUser
  let novels: Work[]
  before(async () => {
    service = await startService({ engine, environment: { PAGE_REQUESTS_PER_MINUTE: '1000000' } })
    me = await signIn(service)
    const { light_novel: ids } = await sampleWorks(service.db)
    novels = ids.map((id) => ({ id, kind: 'light_novel' }))
  })
  after(() => service.close())

  const shows = async (path: string, text: string) =>
    (await new PlainBrowser(service.url).get(path)).text.includes(text)
  const newWork = () => {
    const work = novels.pop()
    assert.ok(work)
    return work
  }
  const pathOf = ({ id }: Work) => `/light-novels/${id}`

  /** Writes a review, and waits until the guests' pages show it from their cache. */
  async function review(work: Work, text: string): Promise<string> {
    const path = `/v3/user/me/rates${pathOf(work)}`
    await me.send('PUT', path, { rate: 8, rate_content: text })
    await waitForTotals(service.db)
    // New reviews do not evict the pages that show others.
    await signal(service.db, 'takedowns')
    for (const page of ['/', pathOf(work)]) {
      await eventually(() => shows(page, text), page)
      assert.ok(await shows(page, text), page)
    }
    return path
  }

  /** Asserts that a page no longer shows a text, well before a cached page would expire. */
  const assertGone = (page: string, text: string) =>
    eventually(async () => !(await shows(page, text)), page, 15_000)

  const REMOVALS: Record<string, (path: string) => Promise<unknown>> = {
    'with its rating': (path) => me.send('DELETE', path),
    'but not its score': (path) => me.send('PUT', path, { rate_content: '' }),
    'by making the rating private': (path) => me.send('PUT', path, { status_private: true }),
  }
  for (const [name, remove] of Object.entries(REMOVALS))
    it(`disappears at once when its author removes it ${name}`, async () => {
      const work = newWork()
      const text = `Removed ${name}.`
      await remove(await review(work, text))
      for (const page of ['/', pathOf(work), `${pathOf(work)}/reviews`])
        await assertGone(page, text)
    })

  it('is cut on the home page if it is long', async () => {
    const path = `/v3/user/me/rates${pathOf(newWork())}`
    await me.send('PUT', path, { rate: 8, rate_content: 'a '.repeat(300) })
    await waitForTotals(service.db)
    await signal(service.db, 'takedowns')
    const cut = `<p class="card-text">${'a '.repeat(199)}a…</p>`
    await eventually(() => shows('/', cut), 'the cut review')
  })

  it('disappears at once even if another review of the work is added at the same time', async () => {
    const work = newWork()
    await review(work, 'Gone at once.')
    const [other = 0] = await createAccounts(service.db, 1)
    await service.db.transaction().execute(async (trx) => {
      const key = { accountId: me.user.id, kind: work.kind, workId: work.id }
      await deleteRating(trx, key, null)
      await writeRating(trx, other, work, { rate: 8, rate_content: 'In its place.' })
    })
    for (const page of ['/', pathOf(work)]) {
      await assertGone(page, 'Gone at once.')
      assert.ok(await shows(page, 'In its place.'), page)
    }
  })
})
