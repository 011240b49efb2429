import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createLibraryUser, worksOfEachKind } from '#test/library-user.ts'
import { waitForTotals, workPathOf, writeRating } from '#test/ratings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

/** Expected counts for one score of 8.5 and one of 10, from 1 point to 10. */
const COUNTS = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1]

describeOnDatabase('score histograms', (engine) => {
  let service: TestService
  before(async () => {
    service = await startService({ engine })
  })
  after(() => service.close())

  it('count 8.5 as 8 in every response and on every page', async () => {
    const works = await worksOfEachKind(service)
    const { accountId, browser } = await createLibraryUser(service, works)
    const guest = new PlainBrowser(service.url)
    await saveProfileSettings(service.db, accountId, {
      is_shown: true,
      name: 'halves',
      may_be_found: false,
      shows_list: true,
      shows_statistics: true,
      shows_reviews: true,
      shows_collections: true,
    })
    const novel = { kind: 'light_novel', id: works.novel } as const
    const game = { kind: 'galgame', id: works.game } as const
    await writeRating(service.db, accountId, novel, {
      rate: 8.5,
      rate_plot: 8.5,
      status: 'COMPLETED',
    })
    await writeRating(service.db, accountId, game, { rate: 10, status: 'COMPLETED' })
    const other = await createLibraryUser(service, works)
    await writeRating(service.db, other.accountId, novel, { rate: 10, rate_plot: 10 })
    await waitForTotals(service.db)

    const token = await service.token('catalog:full')
    const send = async (path: string) => (await sendApiRequest(service.url, { token, path })).data
    const statistics = await send(`${workPathOf(novel)}/rates/statistics`)
    const { rating } = await send(workPathOf(novel))
    const profile = await send('/api/v3/open/profiles/halves/statistics')
    const inOrder = (counts: Record<string, number>) =>
      COUNTS.map((_, index) => counts[index + 1] ?? 0)
    type Points = { score: number; amount: number }
    const places: Record<string, number[]> = {
      'the rating of a work': inOrder(rating.count),
      'the statistics of a work': inOrder(statistics.scores),
      'a sub-score': inOrder(statistics.sub_scores.rate_plot.scores),
      'the distribution': statistics.distribution.map(({ count }: { count: number }) => count),
      'a public profile': inOrder(
        Object.fromEntries(profile.scores.map(({ score, amount }: Points) => [score, amount])),
      ),
      'the page of a work': histogramOf((await guest.get(`/light-novels/${works.novel}`)).text),
      'the page of a profile': histogramOf((await guest.get('/u/halves/statistics')).text),
      'the page of own statistics': histogramOf((await browser.get('/library/statistics')).text),
    }
    for (const [source, counts] of Object.entries(places)) assert.deepEqual(counts, COUNTS, source)
  })
})

/** Counts in a page's first histogram, from 1 point to 10. */
function histogramOf(text: string): number[] {
  const [table = ''] = /<table class="histogram">[^]*?<\/table>/.exec(text) ?? []
  const rows = [...table.matchAll(/<th scope="row">(\d+)<\/th>[^]*?class="number">(\d+)</g)]
  const counts = new Map(rows.map(([, points, count]) => [Number(points), Number(count)]))
  return COUNTS.map((_, index) => counts.get(index + 1) ?? 0)
}
