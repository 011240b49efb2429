import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { first } from '#test/sample-works.ts'
import { startService, type TestService } from '#test/service.ts'
import { sourceRecords } from '#test/source-records.ts'
import { updateListings } from '#test/update-listings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import type { SourceScore } from '../../sources/records/record-fields.ts'

/** A work as lists and details show it. */
type Work = {
  id: number
  score: number | null
  weighted_score: number | null
  score_votes: number
  readers: number
  source_scores: SourceScore[]
  rating: { score: number; total: number }
}

describeOnDatabase('scores of the sources', (engine) => {
  let service: TestService
  let token: string
  before(async () => {
    service = await startService({ engine, content: 'empty' })
    token = await service.token('catalog:full')
  })
  after(() => service.close())

  const read = async <Data>(path: string): Promise<Data> => {
    const { status, data } = await sendApiRequest<Data>(service.url, {
      path: `/api/v3/open/${path}`,
      token,
    })
    assert.equal(status, 200, path)
    return data
  }
  const list = async (query: string) =>
    (await read<{ items: Work[] }>(`galgames?page_size=50&${query}`)).items
  async function idOf(name: string): Promise<number> {
    const { rows } = await sql<{ id: number }>`
      select entry_id as id from source_records where external_id = ${name}`.execute(service.db)
    return first(rows).id
  }

  const score = (mean: number, votes: number): SourceScore => ({
    source: 'vndb',
    score: mean,
    votes,
    rank: null,
  })
  const { galgame, person, staff } = sourceRecords
  const load = async (scores: Record<string, SourceScore[]>) => {
    await importRecords(service.db, 'vndb', [
      person('s9001'),
      ...Object.entries(scores).map(([name, source_scores]) =>
        galgame(name, { origin_title: `Tied ${name}`, source_scores }, staff('s9001')),
      ),
    ])
    await updateListings(service.db)
  }
  const SCORES = {
    v9001: [score(9, 5_000)],
    v9002: [score(10, 5)],
    v9003: [score(8, 200)],
    v9004: [score(10, 4)],
    v9005: [],
  }

  it('rank works that have no users, and a few votes weigh less than many', async () => {
    await load(SCORES)
    const byScore = await list('sort=score')
    const names = ['v9001', 'v9003', 'v9002', 'v9004', 'v9005']
    const ids = await Promise.all(names.map(idOf))
    assert.deepEqual(
      byScore.map(({ id }) => id),
      ids,
    )
    assert.deepEqual(
      byScore.map(({ weighted_score, score_votes, score: own }) => [
        weighted_score,
        score_votes,
        own,
      ]),
      [
        [8.99, 5_000, null],
        [7.89, 200, null],
        [7.5, 5, null],
        [null, 4, null],
        [null, 0, null],
      ],
    )
    assert.deepEqual(
      (await list('min_score=7.8')).map(({ id }) => id),
      ids.slice(0, 2),
    )
    const popular = ['v9001', 'v9003', 'v9002', 'v9004', 'v9005']
    assert.deepEqual(
      (await list('sort=popularity')).map(({ id }) => id),
      await Promise.all(popular.map(idOf)),
    )
    assert.deepEqual(
      await sql`
        select source_votes::integer as votes from listings where kind = 'person'`
        .execute(service.db)
        .then(({ rows }) => rows),
      [{ votes: 5_209 }],
    )
  })

  it('appear on the work next to the rating, which has only the scores of users', async () => {
    const id = await idOf('v9001')
    await importRecords(service.db, 'bangumi', [
      galgame(
        '9001',
        { source_scores: [{ source: 'bangumi', score: 8, votes: 5_000, rank: 70 }] },
        {},
        [{ source: 'vndb', external_id: 'v9001' }],
      ),
    ])
    await updateListings(service.db)
    const { source_scores, rating } = await read<Work>(`galgames/${id}`)
    assert.deepEqual(
      source_scores.map(({ source, score: mean, votes, rank }) => [source, mean, votes, rank]),
      [
        ['vndb', 9, 5_000, null],
        ['bangumi', 8, 5_000, 70],
      ],
    )
    assert.deepEqual([rating.score, rating.total], [0, 0])
    const [best] = await list('sort=score')
    // The mean of both sources by votes is 8.5.
    assert.deepEqual([best?.id, best?.weighted_score, best?.score_votes], [id, 8.5, 10_000])
    const text = await service.get(`/galgames/${id}`, undefined, { accept: 'text/html' })
    assert.match(
      await text.text(),
      /VNDB <strong>9\.0<\/strong> · 5,000 votes.*Bangumi <strong>8\.0<\/strong> · 5,000 votes · rank 70/s,
    )
  })

  it('follow the next import, and keep the ids of works', async () => {
    const id = await idOf('v9003')
    await load({ ...SCORES, v9003: [score(9.5, 9_000)] })
    const [best] = await list('sort=score')
    assert.deepEqual([best?.id, best?.weighted_score], [id, 9.49])
    await load(SCORES)
  })

  it('give way to the scores of users as these come, and users come before votes', async () => {
    const work = { id: await idOf('v9005'), kind: 'galgame' as const }
    const accounts = await createAccounts(service.db, 30)
    const weighted: (number | null | undefined)[] = []
    for (const [index, account] of accounts.entries()) {
      await writeRating(service.db, account, work, { rate: 10, status: 'COMPLETED' })
      if (![3, 4, 29].includes(index)) continue
      await updateListings(service.db)
      const found = (await list('sort=score')).find(({ id }) => id === work.id)
      weighted.push(found?.weighted_score)
    }
    assert.deepEqual(weighted, [null, 8, 9.25])
    const [popular] = await list('sort=popularity')
    assert.deepEqual([popular?.id, popular?.readers], [work.id, 30])
  })

  it('order equal hits of a search', async () => {
    const names = ['v9005', 'v9001', 'v9003', 'v9002', 'v9004']
    const ids = await Promise.all(names.map(idOf))
    const search = async () =>
      (await read<{ items: Work[] }>('search?q=tied&types=galgame')).items.map(({ id }) => id)
    // The service copies the popularity to the index in the background.
    for (let attempt = 0; attempt < 300 && (await search()).join() !== ids.join(); attempt += 1)
      await sleep(100)
    assert.deepEqual(await search(), ids)
  })
})
