import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createClient, obtainTokens, signedInBrowser } from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { seedRandom } from '#test/seeded-random.ts'
import { sendApiRequest, signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { KINDS, WORK_KINDS } from '../../../catalog/kinds.ts'

const LIST = '/v3/user/me/rates'

describeOnDatabase('paging through a user’s ratings', (engine) => {
  let service: TestService
  let novels: number[]
  before(async () => {
    service = await shareService(engine)
    novels = (await sampleWorks(service.db)).light_novel
  })
  after(() => service.close())

  const pathOf = (id: number | undefined) => `${LIST}/light-novels/${id}`
  async function userWith(records: number): Promise<SignedInUser> {
    const me = await signIn(service, { scope: 'status:write' })
    for (const id of novels.slice(0, records)) await me.send('PUT', pathOf(id), { rate: 5 })
    return me
  }
  const pageOf = async (me: SignedInUser, query: string) => {
    const { status, data, text } = await me.send('GET', `${LIST}?${query}`)
    assert.equal(status, 200, text)
    return data
  }
  const idsOf = (page: AnyJson): number[] => page.items.map(({ id }: AnyJson) => id)
  /** Requests the next page by number or by cursor. */
  const NEXT_PAGE = {
    'page numbers': (page: AnyJson) =>
      page.meta.page < page.meta.total_pages ? `page=${page.meta.page + 1}&` : undefined,
    cursors: (page: AnyJson) =>
      page.next_cursor === null ? undefined : `cursor=${page.next_cursor}&`,
  }

  it('has the same items if user data is read separately from the catalog', async () => {
    const me = await signIn(service, { scope: 'status:write' })
    for (const kind of WORK_KINDS) {
      const [plain, reviewed] = (await sampleWorks(service.db))[kind]
      const path = `${LIST}/${KINDS[kind].path}`
      for (const [id, rating] of [
        [plain, { status: 'GOING' }],
        [reviewed, { rate: 7.5, rate_content: '“good” \\ {}' }],
      ] as const)
        assert.equal((await me.send('PUT', `${path}/${id}`, rating)).status, 200)
    }
    const { items } = await pageOf(me, 'page_size=6')
    // Progress is always read separately.
    const withProgress = await pageOf(me, 'page_size=6&include=progress')
    assert.equal(items.length, 6)
    const separate = withProgress.items.map(({ progress, ...item }: AnyJson) => {
      assert.ok(progress)
      return JSON.stringify(item)
    })
    assert.deepEqual(
      separate,
      items.map((item: AnyJson) => JSON.stringify(item)),
    )
  })

  for (const [name, next] of Object.entries(NEXT_PAGE)) {
    it(`returns each of 26 ratings once using ${name}, even if the 25th changes after the first page`, async () => {
      const me = await userWith(26)
      const first = await pageOf(me, 'page=1&page_size=20')
      const [changed] = novels.slice(1, 2)
      await me.send('PUT', pathOf(changed), { rate: 9 })
      const second = await pageOf(me, `${next(first)}page_size=20`)
      assert.equal(next(second), undefined)
      assert.deepEqual([...idsOf(first), ...idsOf(second)], novels.slice(0, 26).toReversed())
      assert.equal(
        second.items.find(({ id }: AnyJson) => id === changed).rate,
        9,
        'the current score',
      )
      assert.equal(
        idsOf(await pageOf(me, 'page_size=20'))[0],
        changed,
        'a new walk has the new order',
      )
    })

    it(`neither repeats nor skips a rating using ${name} while other ratings are added, changed and deleted`, async () => {
      const random = seedRandom(`walk by ${name}`)
      for (let round = 0; round < 4; round++) {
        const me = await userWith(30)
        const size = 3 + random.below(8)
        const seen: number[] = []
        const deleted = new Set<number>()
        let query: string | undefined = ''
        while (query !== undefined) {
          const page: AnyJson = await pageOf(me, `${query}page_size=${size}`)
          seen.push(...idsOf(page))
          query = next(page)
          for (let write = random.below(4); write > 0; write--) {
            const id = random.pick(novels.slice(0, 40))
            if (random.chance(0.3)) {
              deleted.add(id)
              await me.send('DELETE', pathOf(id))
            } else
              await me.send('PUT', pathOf(id), {
                rate: 1 + random.below(10),
                rate_content: `${write}`,
              })
          }
        }
        assert.equal(new Set(seen).size, seen.length, 'no rating is repeated')
        const stayed = novels.slice(0, 30).filter((id) => !deleted.has(id))
        assert.deepEqual(
          stayed.filter((id) => !seen.includes(id)),
          [],
          'no rating is lost',
        )
      }
    })
  }

  it('continues by page number in the same order for half an hour after the first page was last read', async () => {
    const me = await userWith(12)
    const age = (minutes: number) =>
      sql`
        update rating_walks set started_at = started_at - ${minutes} * interval '1 minute'
        where account_id = ${me.user.id}`.execute(service.db)
    const before = novels.slice(0, 12).toReversed()
    await pageOf(me, 'page_size=5')
    await age(31)
    await pageOf(me, 'page_size=5')
    await age(29)
    await me.send('PUT', pathOf(novels[0]), { rate: 9 })
    assert.deepEqual(idsOf(await pageOf(me, 'page=2&page_size=5')), before.slice(5, 10))
    await age(2)
    assert.deepEqual(
      idsOf(await pageOf(me, 'page=2&page_size=5')),
      before.slice(4, 9),
      'the current order',
    )
  })

  it('continues by page number in the order of the latest first page, even if an older walk has the same order', async () => {
    const me = await userWith(12)
    const second = async () => idsOf(await pageOf(me, 'page=2&page_size=5'))
    await pageOf(me, 'page_size=5')
    const before = await second()
    await me.send('PUT', pathOf(novels[12]), { rate: 9 })
    await pageOf(me, 'page_size=5')
    assert.notDeepEqual(await second(), before)
    await me.send('DELETE', pathOf(novels[12]))
    await pageOf(me, 'page_size=5')
    assert.deepEqual(await second(), before)
  })

  it('writes nothing when the first page is read again at once', async () => {
    const me = await userWith(12)
    const version = async () => {
      const { rows } = await sql<{ version: string }>`
        select xmin::text as version from rating_walks where account_id = ${me.user.id}`.execute(
        service.db,
      )
      return rows
    }
    await pageOf(me, 'page_size=5')
    const before = await version()
    await pageOf(me, 'page_size=5')
    assert.deepEqual(await version(), before)
  })

  it('uses a separate snapshot for each app and filter', async () => {
    const me = await userWith(12)
    const app = await createClient(service)
    const browser = await signedInBrowser(service, me.user)
    const other = await obtainTokens(service, { app, user: me.user, browser, scope: 'status:read' })
    const byOther = async (query: string) =>
      idsOf(
        (await sendApiRequest(service.url, { token: other.access_token, path: `${LIST}?${query}` }))
          .data,
      )
    const mine = idsOf(await pageOf(me, 'page_size=5'))
    const filtered = await pageOf(me, 'page_size=5&work_type=LIGHT_NOVEL')
    await me.send('PUT', pathOf(novels[0]), { rate: 9 })
    assert.equal((await byOther('page_size=5'))[0], novels[0])
    await byOther('page=2&page_size=5')
    const rest = [
      ...idsOf(await pageOf(me, 'page=2&page_size=5')),
      ...idsOf(await pageOf(me, 'page=3&page_size=5')),
    ]
    assert.equal(new Set([...mine, ...rest]).size, 12)
    const otherResponse = await me.send('GET', `${LIST}?scored=true&cursor=${filtered.next_cursor}`)
    assert.deepEqual([otherResponse.status, otherResponse.fields], [422, ['cursor']])
  })

  it('returns 422 for an invalid cursor or another user’s cursor', async () => {
    const [me, other] = [await userWith(3), await userWith(3)]
    const { next_cursor } = await pageOf(other, 'page_size=2')
    assert.ok(next_cursor)
    for (const cursor of ['x', '1-1', 'zzzzzzzzzzz-1', '%00', 'a'.repeat(5_000), next_cursor]) {
      const { status, fields } = await me.send('GET', `${LIST}?cursor=${cursor}`)
      assert.deepEqual([status, fields], [422, ['cursor']], cursor)
    }
    assert.equal((await pageOf(me, 'page_size=3')).next_cursor, null)
  })

  it('uses a separate snapshot for each user, even within one app', async () => {
    const app = await createClient(service)
    const [mine, otherResponse] = await Promise.all(
      [0, 1].map(async () => {
        const me = await userWith(3)
        const browser = await signedInBrowser(service, me.user)
        const tokens = await obtainTokens(service, {
          app,
          user: me.user,
          browser,
          scope: 'status:read',
        })
        return (query: string) =>
          sendApiRequest(service.url, {
            token: tokens.access_token,
            path: `${LIST}?page_size=2&${query}`,
          })
      }),
    )
    assert.ok(mine && otherResponse)
    const { next_cursor } = (await mine('')).data
    assert.ok(next_cursor)
    assert.deepEqual((await otherResponse(`cursor=${next_cursor}`)).fields, ['cursor'])
    assert.equal((await mine(`cursor=${next_cursor}`)).status, 200)
  })

  it('stores only one snapshot while nothing changes, and limits the total number of snapshots', async () => {
    const me = await userWith(3)
    const stored = async () =>
      (await sql`select from rating_walks where account_id = ${me.user.id}`.execute(service.db))
        .rows.length
    for (const _ of [1, 2, 3]) await pageOf(me, 'page_size=2')
    assert.equal(await stored(), 1)
    for (let rate = 1; rate <= 10; rate++) {
      for (const id of novels.slice(0, 2)) await me.send('PUT', pathOf(id), { rate })
      await pageOf(me, 'page_size=2')
    }
    assert.ok((await stored()) <= 10)
  })
})
