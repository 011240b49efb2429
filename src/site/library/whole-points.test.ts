import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { PlainBrowser } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import { listReader, worksOfEachKind } from '#test/list-pages.ts'
import { gathered, ratingPathOf, record } from '#test/ratings.ts'
import { askAt } from '#test/reader.ts'
import { startService, type TestService } from '#test/service.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

/** Expected counts for one score of 8.5 and one of 10, from 1 point to 10. */
const COUNTS = [0, 0, 0, 0, 0, 0, 0, 1, 0, 1]

onOneDatabase('score histograms', (engine) => {
  let service: TestService
  before(async () => {
    service = await startService({ engine })
  })
  after(() => service.close())

  it('count 8.5 as 8 in every response and on every page', async () => {
    const works = await worksOfEachKind(service)
    const { accountId, browser } = await listReader(service, works)
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
    await record(service.db, accountId, novel, { rate: 8.5, rate_plot: 8.5, status: 'COMPLETED' })
    await record(service.db, accountId, game, { rate: 10, status: 'COMPLETED' })
    const other = await listReader(service, works)
    await record(service.db, other.accountId, novel, { rate: 10, rate_plot: 10 })
    await gathered(service.db)

    const token = await service.token('catalog:full')
    const ask = async (path: string) => (await askAt(service.url, { token, path })).data
    const statistics = await ask(`${ratingPathOf(novel)}/rates/statistics`)
    const { rating } = await ask(ratingPathOf(novel))
    const profile = await ask('/api/v3/open/profiles/halves/statistics')
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
    for (const [place, counts] of Object.entries(places)) assert.deepEqual(counts, COUNTS, place)
  })
})

/** Counts in the first histogram of a page, from 1 point to 10. */
function histogramOf(text: string): number[] {
  const [table = ''] = /<table class="histogram">[^]*?<\/table>/.exec(text) ?? []
  const rows = [...table.matchAll(/<th scope="row">(\d+)<\/th>[^]*?class="number">(\d+)</g)]
  const counts = new Map(rows.map(([, points, amount]) => [Number(points), Number(amount)]))
  return COUNTS.map((_, index) => counts.get(index + 1) ?? 0)
}
