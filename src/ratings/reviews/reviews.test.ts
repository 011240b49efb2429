import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, createUser, obtainTokens } from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, workPathOf, writeRating, type Work } from '#test/ratings.ts'
import { sendApiRequest, signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { REVIEW_ORDERS } from './schemas.ts'

describeOnDatabase('a work’s review list', (engine) => {
  let service: TestService
  let token: string
  let works: Record<Work['kind'], number[]>
  let me: SignedInUser
  before(async () => {
    service = await startService({ engine })
    token = await service.token()
    works = await sampleWorks(service.db)
    me = await signIn(service)
  })
  after(() => service.close())

  const newWork = (kind: Work['kind'] = 'light_novel'): Work => {
    const id = works[kind].pop()
    assert.ok(id)
    return { id, kind }
  }
  const send = (path: string) => sendApiRequest(service.url, { token, path })
  const reviewsOf = async (work: Work, query = '') => {
    const { status, data, text } = await send(`${workPathOf(work)}/rates${query}`)
    assert.equal(status, 200, text)
    return data
  }
  const textsOf = async (work: Work, query = ''): Promise<string[]> =>
    (await reviewsOf(work, query)).items.map(({ rate_content }: AnyJson) => rate_content)
  const writeReviews = async (work: Work, changes: Parameters<typeof writeRating>[3][]) => {
    const accounts = await createAccounts(service.db, changes.length)
    const ids: number[] = []
    for (const [index, change] of changes.entries())
      ids.push((await writeRating(service.db, accounts[index] ?? 0, work, change)).id)
    return { accounts, ids }
  }

  it('contains the text, the scores for the kind of work and the author’s name, but no email address', async () => {
    await sql`update accounts set nickname = 'Nagisa', picture = 'https://example.org/n.png'
      where id = ${me.user.id}`.execute(service.db)
    const novel = newWork()
    const review = {
      rate: 8.5,
      rate_plot: 9,
      rate_content: 'A quiet ending.',
      status: 'COMPLETED' as const,
    }
    const { id, created_at, updated_at } = await writeRating(service.db, me.user.id, novel, {
      ...review,
      time_to_finish_minutes: 90,
    })
    const { items, meta } = await reviewsOf(novel)
    assert.deepEqual(items, [
      {
        id,
        created_at: created_at.toISOString(),
        updated_at: updated_at.toISOString(),
        user: { id: me.user.id, name: 'Nagisa', picture: 'https://example.org/n.png' },
        ...review,
        rate_character: null,
        rate_illustration: null,
        rate_pacing: null,
        rate_worldview: null,
        rate_writing: null,
        is_spoiler: false,
        like_count: 0,
        dislike_count: 0,
        time_to_finish_minutes: 90,
      },
    ])
    assert.deepEqual(meta, {
      page: 1,
      page_size: 10,
      item_count: 1,
      total_items: 1,
      total_pages: 1,
    })

    await writeReviews(newWork('galgame'), [{ rate_content: 'x', rate_music: 7 }])
    const manga = newWork('manga')
    await writeReviews(manga, [{ rate_content: 'x', rate: 7 }])
    const [drawn] = (await reviewsOf(manga)).items
    assert.equal(drawn.rate, 7)
    assert.deepEqual([drawn.user.name, 'time_to_finish_minutes' in drawn], ['Reader 1', false])
    const { text } = await send(`${workPathOf(novel)}/rates`)
    assert.doesNotMatch(text, /@|email/)
  })

  it('omits the text of spoilers unless spoilers are requested', async () => {
    const work = newWork()
    await writeReviews(work, [
      { rate_content: 'She dies.', is_spoiler: true },
      { rate_content: 'Nice.' },
    ])
    assert.deepEqual(await textsOf(work), ['Nice.', ''])
    assert.deepEqual(await textsOf(work, '?spoilers=false'), ['Nice.', ''])
    assert.deepEqual(await textsOf(work, '?spoilers=true'), ['Nice.', 'She dies.'])
    assert.equal((await reviewsOf(work)).items[1].is_spoiler, true)
    assert.doesNotMatch((await send(`${workPathOf(work)}/rates?sort=top`)).text, /dies/)
  })

  it('is sorted by time, votes or score, and contains each review once across pages', async () => {
    const work = newWork()
    const rates = [7, null, 9.5, 7, null, 10, 7, 1]
    const { ids } = await writeReviews(
      work,
      rates.map((rate, index) => ({ rate, rate_content: `${index}` })),
    )
    for (const [index, [likes, dislikes]] of [
      [3, 1],
      [0, 0],
      [5, 3],
      [0, 4],
      [9, 0],
      [0, 0],
      [1, 1],
      [2, 0],
    ].entries())
      await sql`update ratings set like_count = ${likes}, dislike_count = ${dislikes} where id = ${ids[index]}`.execute(
        service.db,
      )
    // All reviews have the same timestamp, so the one written last comes first.
    await sql`update ratings set created_at = '2026-01-01' where work_id = ${work.id} and id <> ${ids[2]}`.execute(
      service.db,
    )
    const expected = {
      newest: ['2', '7', '6', '5', '4', '3', '1', '0'],
      top: ['4', '7', '2', '0', '6', '5', '1', '3'],
      score: ['5', '2', '6', '3', '0', '7', '4', '1'],
    }
    assert.deepEqual(await textsOf(work), expected.newest)
    for (const order of REVIEW_ORDERS) {
      assert.deepEqual(await textsOf(work, `?sort=${order}`), expected[order])
      const paged: string[] = []
      for (const page of [1, 2, 3]) {
        const { items, meta } = await reviewsOf(work, `?sort=${order}&page=${page}&page_size=3`)
        paged.push(...items.map(({ rate_content }: AnyJson) => rate_content))
        assert.deepEqual(meta, {
          page,
          page_size: 3,
          item_count: page < 3 ? 3 : 2,
          total_items: 8,
          total_pages: 3,
        })
      }
      assert.deepEqual(paged, expected[order])
    }
    const past = await reviewsOf(work, '?page=9007199254740991&page_size=100')
    assert.deepEqual([past.items, past.meta.total_items], [[], 8])
  })

  it('has an exact total up to a thousand reviews, and a total from stored counts beyond that', async () => {
    const work = newWork()
    const accounts = await createAccounts(service.db, 1_002)
    const write = (some: number[]) =>
      sql`
        insert into ratings (account_id, work_id, kind, rate_content, updated_at)
        select account_id, ${work.id}, ${work.kind}, 'Good.', now()
        from unnest(${some}::bigint[]) account_id`.execute(service.db)
    const totalOf = async () => (await reviewsOf(work)).meta.total_items
    await write(accounts.slice(0, 1_000))
    assert.equal(await totalOf(), 1_000)
    await write(accounts.slice(1_000))
    assert.equal(await totalOf(), 1_001)
    await sql`insert into rating_counts (work_id, field, value, amount)
      values (${work.id}, 'content', 'REVIEW', 54321)`.execute(service.db)
    assert.equal(await totalOf(), 54_321)
  })

  it('names the invalid parameters when rejecting a request, and ignores unknown parameters', async () => {
    const work = newWork()
    const { status, code, fields } = await send(
      `${workPathOf(work)}/rates?sort=best&spoilers=perhaps&page=0&page_size=101`,
    )
    assert.deepEqual([status, code], [422, 'COMMON_VALIDATION_FAILED'])
    assert.deepEqual(fields.toSorted(), ['page', 'page_size', 'sort', 'spoilers'])
    assert.equal((await send(`${workPathOf(work)}/rates?color=red`)).status, 200)
  })

  it('is available under both path families to callers who can see the work', async () => {
    const nsfw = first((await sampleWorks(service.db, true)).galgame)
    const small = await service.token('catalog:read')
    const statusOf = async (path: string, by?: string) => {
      const response = await service.get(path, by)
      // as: an envelope
      const { error } = (await response.json()) as { error?: { code: string } }
      return `${response.status} ${error?.code ?? ''}`.trim()
    }
    for (const base of ['/v3', '/api/v3/open']) {
      assert.equal(await statusOf(`${base}/galgames/${nsfw}/rates`, token), '200')
      assert.equal(await statusOf(`${base}/galgames/${nsfw}/rates`, small), '404 COMMON_NOT_FOUND')
      assert.equal(
        await statusOf(`${base}/light-novels/${nsfw}/rates`, token),
        '404 COMMON_NOT_FOUND',
      )
      assert.equal(await statusOf(`${base}/galgames/${nsfw}/rates`), '401 AUTH_UNAUTHENTICATED')
      assert.equal(await statusOf(`${base}/galgames/${nsfw}/rates`, me.token), '403 AUTH_FORBIDDEN')
    }
    for (const id of ['abc', '0', '-1', '9007199254740993', '8999999999999'])
      assert.equal(await statusOf(`/v3/mangas/${id}/rates`, token), '404 COMMON_NOT_FOUND')
    const into = newWork('manga')
    await sql`insert into merged_entries (kind, id, merged_into) values ('manga', 7000001, ${into.id})`.execute(
      service.db,
    )
    for (const part of ['rates', 'rates/statistics']) {
      const merged = await send(`/api/v3/open/mangas/7000001/${part}`)
      assert.deepEqual(
        [merged.status, merged.code, merged.body.error.details],
        [404, 'WIKI_RESOURCE_MERGED', { merged_into: into.id }],
      )
    }
    const { access_token } = await obtainTokens(service, {
      app: await createClient(service),
      user: await createUser(service),
      scope: 'catalog:read',
    })
    assert.equal(await statusOf(`${workPathOf(into)}/rates`, access_token), '200')
  })

  it('has a strong ETag for its content, and returns 304 for a match', async () => {
    const work = newWork()
    await writeReviews(work, [{ rate_content: 'x' }])
    const { headers } = await send(`${workPathOf(work)}/rates`)
    const etag = headers.get('etag') ?? ''
    assert.match(etag, /^"[^"]+"$/)
    assert.equal(headers.get('cache-control'), 'private, max-age=60')
    assert.match(headers.get('vary') ?? '', /Authorization/)
    assert.match(headers.get('x-ratelimit-limit') ?? '', /^\d+$/)
    const repeat = await service.get(`${workPathOf(work)}/rates`, token, { 'if-none-match': etag })
    assert.deepEqual([repeat.status, await repeat.text()], [304, ''])
    await writeReviews(work, [{ rate_content: 'y' }])
    const changed = await service.get(`${workPathOf(work)}/rates`, token, { 'if-none-match': etag })
    assert.equal(changed.status, 200)
  })

  it('reveals nothing about a private rating before, during or after its privacy changes', async () => {
    const work = newWork()
    const { ids } = await writeReviews(
      work,
      [5, 6, 7].map((rate) => ({ rate, rate_content: `Scored ${rate}` })),
    )
    const mine = `/v3/user/me/rates/light-novels/${work.id}`
    const lists = REVIEW_ORDERS.flatMap((sort) => [
      `?sort=${sort}`,
      `?sort=${sort}&page=2&page_size=2`,
    ])
    const allReviews = async () => {
      const statuses: string[] = []
      for (const list of lists) {
        const { headers, data } = await send(`${workPathOf(work)}/rates${list}`)
        statuses.push(headers.get('etag') ?? '', JSON.stringify(data))
      }
      return statuses
    }
    const put = async (body: object) => assert.equal((await me.send('PUT', mine, body)).status, 200)

    const without = await allReviews()
    await put({ rate: 6.5, rate_content: 'Mine', status_private: true })
    assert.deepEqual(await allReviews(), without)
    await put({ status_private: false })
    const shown = await allReviews()
    assert.notDeepEqual(shown, without)
    assert.match(shown.join(' '), /Mine/)
    await put({ status_private: true, rate_content: 'Mine, changed', status: 'DROPPED' })
    assert.deepEqual(await allReviews(), without)
    await put({ rate_content: '' })
    await put({ status_private: false })
    assert.deepEqual(await allReviews(), without, 'a rating without a text is not shown either')
    assert.equal(ids.length, 3)
  })

  it('excludes reviews of banned users', async () => {
    const work = newWork()
    const { accounts } = await writeReviews(work, [{ rate_content: 'a' }, { rate_content: 'b' }])
    const [banned = 0] = accounts
    await banAccount(service.db, banned, 'a test')
    assert.deepEqual(await textsOf(work), ['b'])
    assert.equal((await reviewsOf(work)).meta.total_items, 1)
    await unbanAccount(service.db, banned)
    assert.deepEqual(await textsOf(work), ['b', 'a'])
  })
})
