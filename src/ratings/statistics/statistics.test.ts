import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as fc from 'fast-check'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, waitForTotals, workPathOf, writeRating, type Work } from '#test/ratings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { memoryThrottle } from '../../http/admission/throttle.ts'
import { bayesianMean, summarize } from './histogram.ts'

describeOnDatabase('the statistics route', (engine) => {
  let service: TestService
  let token: string
  let works: Record<Work['kind'], number[]>
  before(async () => {
    service = await startService({
      engine,
      environment: { ANONYMOUS_REQUESTS_PER_MINUTE: '5' },
      // Avoids counting across the end of a minute.
      throttle: memoryThrottle(undefined, () => 0),
    })
    token = await service.token()
    works = await sampleWorks(service.db)
  })
  after(() => service.close())

  const newWork = (kind: Work['kind']): Work => {
    const id = works[kind].pop()
    assert.ok(id)
    return { id, kind }
  }
  const statisticsOf = async (work: Work) => {
    await waitForTotals(service.db)
    const { status, data } = await sendApiRequest(service.url, {
      token,
      path: `${workPathOf(work)}/rates/statistics`,
    })
    assert.equal(status, 200)
    return data
  }
  const none = { total: 0, mean: null, median: null, scores: scores({}) }
  const noUsers = { GOING: 0, COMPLETED: 0, ON_HOLD: 0, DROPPED: 0, PLAN: 0 }

  it('returns no averages for a work without scores', async () => {
    assert.deepEqual(await statisticsOf(newWork('manga')), {
      average: null,
      rated_count: 0,
      content_count: 0,
      played_count: 0,
      total_count: 0,
      distribution: distribution({}),
      status_counts: { going: 0, completed: 0, on_hold: 0, dropped: 0, plan: 0 },
      dimension_averages: {},
      statuses: noUsers,
      ...none,
      bayesian_mean: null,
      sub_scores: {},
    })
    const { sub_scores } = await statisticsOf(newWork('galgame'))
    assert.deepEqual(
      sub_scores,
      Object.fromEntries(
        ['scenario', 'direction', 'music', 'visual', 'character', 'system'].map((name) => [
          `rate_${name}`,
          none,
        ]),
      ),
    )
  })

  it('returns counts per status and per whole point, and the mean, median and Bayesian mean of the scores', async () => {
    const [work, other] = [newWork('light_novel'), newWork('light_novel')]
    const users = await createAccounts(service.db, 4)
    const [one = 0, second = 0, third = 0, fourth = 0] = users
    await writeRating(service.db, one, work, { rate: 8.5, rate_plot: 7, status: 'COMPLETED' })
    await writeRating(service.db, second, work, { rate: 8.6, rate_plot: 7.5, status: 'COMPLETED' })
    await writeRating(service.db, third, work, { rate: 2, status: 'DROPPED' })
    await writeRating(service.db, fourth, work, { rate: 10, status: 'PLAN' })
    for (const user of users) await writeRating(service.db, user, other, { rate: 5 })
    const { statuses, sub_scores, ...overall } = await statisticsOf(work)
    assert.deepEqual(statuses, { ...noUsers, COMPLETED: 2, DROPPED: 1, PLAN: 1 })
    // Mean of the kind: (29.1 + 20) / 8 = 6.1375. Bayesian mean: (61.375 + 29.1) / 14 = 6.4625.
    assert.deepEqual(overall, {
      average: 7.28,
      rated_count: 4,
      content_count: 0,
      played_count: 3,
      total_count: 4,
      distribution: distribution({ 2: 1, 8: 2, 10: 1 }),
      status_counts: { going: 0, completed: 2, on_hold: 0, dropped: 1, plan: 1 },
      dimension_averages: {
        character: null,
        illustration: null,
        pacing: null,
        plot: 7.25,
        worldview: null,
        writing: null,
      },
      total: 4,
      mean: 7.28,
      median: 8.55,
      bayesian_mean: 6.46,
      scores: scores({ 2: 1, 8: 2, 10: 1 }),
    })
    assert.deepEqual(sub_scores.rate_plot, {
      total: 2,
      mean: 7.25,
      median: 7.25,
      scores: scores({ 7: 2 }),
    })
    assert.deepEqual(sub_scores.rate_writing, none)
  })

  it('excludes private ratings from counts but not from averages, and reflects changes to privacy', async () => {
    const work = newWork('light_novel')
    const [one = 0, second = 0] = await createAccounts(service.db, 2)
    await writeRating(service.db, one, work, { rate: 6, status: 'COMPLETED' })
    const alone = await statisticsOf(work)
    await writeRating(service.db, second, work, {
      rate: 8,
      rate_plot: 9,
      status: 'DROPPED',
      status_private: true,
    })
    const hidden = await statisticsOf(work)
    assert.deepEqual(hidden.statuses, alone.statuses)
    assert.deepEqual([hidden.total, hidden.mean, hidden.sub_scores.rate_plot.mean], [2, 7, 9])
    await writeRating(service.db, second, work, { status: 'PLAN' })
    assert.deepEqual(
      await statisticsOf(work),
      hidden,
      'changing a private status does not affect the response',
    )
    await writeRating(service.db, second, work, { status_private: false })
    assert.equal((await statisticsOf(work)).statuses.PLAN, 1)
    await writeRating(service.db, second, work, { status_private: true })
    assert.deepEqual(await statisticsOf(work), hidden)
  })

  it('counts public reviews and ratings, including those without a status', async () => {
    const work = newWork('galgame')
    const [one = 0, second = 0, third = 0] = await createAccounts(service.db, 3)
    const countsOf = async () => {
      const { content_count, total_count, played_count, rated_count } = await statisticsOf(work)
      return { content_count, total_count, played_count, rated_count }
    }
    await writeRating(service.db, one, work, { rate: 8, rate_content: 'Quiet.', status: null })
    await writeRating(service.db, second, work, {
      rate: 9,
      rate_content: 'Mine.',
      status_private: true,
    })
    await writeRating(service.db, third, work, { rate_content: 'Good.' })
    assert.deepEqual(await countsOf(), {
      content_count: 2,
      total_count: 2,
      played_count: 1,
      rated_count: 2,
    })
    assert.deepEqual((await statisticsOf(work)).statuses, { ...noUsers, GOING: 1 })
    await writeRating(service.db, third, work, { status: null, rate_content: '' })
    assert.deepEqual(await countsOf(), {
      content_count: 1,
      total_count: 2,
      played_count: 0,
      rated_count: 2,
    })
    await writeRating(service.db, second, work, { status_private: false })
    assert.deepEqual(await countsOf(), {
      content_count: 2,
      total_count: 3,
      played_count: 1,
      rated_count: 2,
    })
  })

  it('is public under /api/v3 even for adult works, but limited per minute and client IP address', async () => {
    const nsfw = first((await sampleWorks(service.db, true)).galgame)
    const send = (path: string) =>
      sendApiRequest(service.url, { path: `/api/v3/${path}/rates/statistics` })
    const work = newWork('light_novel')
    const { status, data, headers } = await send(`light-novels/${work.id}`)
    assert.equal(status, 200)
    assert.deepEqual(data, await statisticsOf(work))
    assert.equal(headers.get('x-ratelimit-limit'), '5')
    assert.equal((await send(`galgames/${nsfw}`)).status, 200)
    for (const path of [`mangas/${work.id}`, 'galgames/abc'])
      assert.equal((await send(path)).status, 404, path)
    await send('galgames/1')
    assert.equal((await send(`light-novels/${work.id}`)).status, 429)
  })

  it('excludes ratings of banned users', async () => {
    const work = newWork('galgame')
    const [one = 0, second = 0] = await createAccounts(service.db, 2)
    await writeRating(service.db, one, work, { rate: 6 })
    const alone = await statisticsOf(work)
    await writeRating(service.db, second, work, { rate: 9, rate_music: 4 })
    const both = await statisticsOf(work)
    assert.notDeepEqual(both, alone)
    await banAccount(service.db, second, 'a test')
    assert.deepEqual(await statisticsOf(work), alone)
    await unbanAccount(service.db, second)
    assert.deepEqual(await statisticsOf(work), both)
  })

  it('requires a token under /v3 and /api/v3/open, and includes nsfw works even with only catalog:read', async () => {
    const nsfw = first((await sampleWorks(service.db, true)).galgame)
    const small = await service.token('catalog:read')
    const status = async (path: string, by?: string) => (await service.get(path, by)).status
    assert.equal(await status(`/v3/galgames/${nsfw}/rates/statistics`, token), 200)
    assert.equal(await status(`/v3/galgames/${nsfw}/rates/statistics`, small), 200)
    assert.equal(await status(`/api/v3/open/galgames/${nsfw}/rates/statistics`), 401)
    for (const id of [nsfw + 1_000_000, 'abc', 0])
      assert.equal(await status(`/v3/galgames/${id}/rates/statistics`, token), 404)
    assert.equal(
      await status(`/v3/mangas/${nsfw}/rates/statistics`, token),
      404,
      'the work has another kind',
    )
  })

  it('has an ETag for its content, and returns 304 for a match', async () => {
    const path = `${workPathOf(newWork('manga'))}/rates/statistics`
    const etag = (await service.get(path, token)).headers.get('etag') ?? ''
    assert.match(etag, /^"[^"]+"$/)
    const repeat = await service.get(path, token, { 'if-none-match': etag })
    assert.deepEqual([repeat.status, await repeat.text()], [304, ''])
  })
})

describe('a score summary', () => {
  const tenths = fc.array(fc.integer({ min: 10, max: 100 }), { minLength: 1, maxLength: 60 })
  const countsOf = (all: number[]) =>
    [...new Set(all)].map((value) => ({
      score: value / 10,
      amount: all.filter((other) => other === value).length,
    }))
  /** Rounds half up, in whole hundredths. */
  const rounded = (dividend: number, divisor: number) =>
    Math.floor((2 * dividend + divisor) / (2 * divisor)) / 100

  it('has the exact mean and median of the scores', () => {
    fc.assert(
      fc.property(tenths, (all) => {
        const sorted = all.toSorted((a, b) => a - b)
        const middle = sorted.slice(Math.ceil(all.length / 2) - 1, Math.floor(all.length / 2) + 1)
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
        const summary = summarize(countsOf(all))
        assert.deepEqual(
          [summary.total, summary.mean, summary.median],
          [
            all.length,
            rounded(sum(all) * 10, all.length),
            rounded(sum(middle) * 10, middle.length),
          ],
        )
        assert.equal(sum(Object.values(summary.scores)), all.length)
      }),
    )
  })

  it('has a Bayesian mean that moves from the mean of the kind toward the mean of the work with each score', () => {
    const ofKind = { total: 1_000, sum: 6_000 }
    assert.equal(bayesianMean([], ofKind), null)
    assert.equal(bayesianMean([{ score: 10, amount: 1 }], ofKind), 6.36)
    assert.equal(bayesianMean([{ score: 10, amount: 10 }], ofKind), 8)
    assert.equal(bayesianMean([{ score: 10, amount: 990 }], ofKind), 9.96)
  })
})

function scores(of: Record<number, number>) {
  return Object.fromEntries(
    Array.from({ length: 10 }, (_, index) => [String(index + 1), of[index + 1] ?? 0]),
  )
}

const distribution = (of: Record<number, number>) =>
  Object.entries(scores(of)).map(([score, count]) => ({ score: Number(score), count }))
