import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { Ajv, type ValidateFunction } from 'ajv'
import { describeOnDatabase } from '#test/databases.ts'
import { consoleTokens, APPS_PATH } from '#test/developer.ts'
import { numberAllChanges } from '#test/change-feed.ts'
import { waitForTotals } from '#test/ratings.ts'
import { signIn, type AnyJson } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { updateProfile } from '../../src/accounts/queries.ts'
import { USER_CONTRACT } from './user-schemas.ts'

type Shape = keyof typeof USER_CONTRACT
type Request = {
  method?: string
  token?: string | undefined
  body?: object
  status?: number
  bare?: boolean
}

const ajv = new Ajv({ strict: false, allErrors: true })
const validators = new Map<Shape, ValidateFunction>(
  // as: the keys of this object
  (Object.keys(USER_CONTRACT) as Shape[]).map((name) => [name, ajv.compile(USER_CONTRACT[name])]),
)

/** Both families of the user API. */
const MINE = ['/v3/user/me', '/api/v3/open/user/me'] as const

describeOnDatabase('the user API contract', (engine) => {
  let service: TestService
  let token: string
  let readerId: number
  let works: { path: string; kind: string; id: number }[]

  /** Returns a response's `data`, which must match the schema. */
  async function send(shape: Shape | null, path: string, request: Request = {}): Promise<AnyJson> {
    const { method = 'GET', body, status = 200, bare = false } = request
    const by = 'token' in request ? request.token : token
    const response = await fetch(service.url + path, {
      method,
      headers: {
        ...(by !== undefined && { authorization: `Bearer ${by}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body ? JSON.stringify(body) : null,
    })
    const text = await response.text()
    const name = `${method} ${path}`
    assert.equal(response.status, status, `${name}: ${text}`)
    if (!shape) return text === '' ? undefined : JSON.parse(text)
    const json: AnyJson = JSON.parse(text)
    if (!bare) assert.equal(json.success, true)
    const data: AnyJson = bare ? json : json.data
    const validate = validators.get(shape)
    assert.ok(validate?.(data), `${name}: ${ajv.errorsText(validate?.errors)}`)
    return data
  }

  before(async () => {
    service = await startService({ engine })
    const me = await signIn(service, { scope: 'user:read status:write collection:write' })
    token = me.token
    readerId = me.user.id
    await updateProfile(service.db, readerId, {
      picture: 'https://example.org/nagisa.png',
      bio: 'Reads.',
    })
    const sample = await sampleWorks(service.db)
    works = [
      { path: 'galgames', kind: 'galgame', id: first(sample.galgame) },
      { path: 'light-novels', kind: 'light_novel', id: first(sample.light_novel) },
      { path: 'mangas', kind: 'manga', id: first(sample.manga) },
    ]
    const ratings: Record<string, object> = {
      galgame: {
        status: 'COMPLETED',
        rate: 8.5,
        rate_scenario: 9,
        rate_content: 'A quiet ending.',
      },
      light_novel: { status: 'GOING', rate_plot: 7.5, rate_writing: 8 },
      manga: { rate: 6, status: null },
    }
    for (const { path, kind, id } of works)
      await send(null, `/v3/user/me/rates/${path}/${id}`, {
        method: 'PUT',
        body: ratings[kind] ?? {},
      })
  })
  after(() => service.close())

  it('includes the user’s profile, with an avatar if the user has a picture', async () => {
    for (const mine of MINE) {
      const profile = await send('profile', mine)
      assert.deepEqual(
        [profile.id, profile.avatar.src],
        [readerId, 'https://example.org/nagisa.png'],
      )
      assert.deepEqual([profile.role, profile.status], ['USER', 'ACTIVE'])
    }
    await updateProfile(service.db, readerId, { picture: null, bio: '' })
    const { avatar, bio } = await send('profile', MINE[0])
    assert.deepEqual([avatar, bio], [null, null])
  })

  it('identifies ratings by work id, and uses upper-case types in requests and responses', async () => {
    for (const mine of MINE) {
      const { items, meta } = await send('rates', `${mine}/rates?page=1&page_size=100`)
      assert.deepEqual([meta.total_items, meta.total_pages, meta.page_size], [3, 1, 100])
      for (const { kind, id, path } of works) {
        const type = kind.toUpperCase()
        const listed = items.find((item: AnyJson) => item.work_type === type)
        assert.equal(listed.id, id)
        assert.equal(listed.rate_id, (await send(null, `${mine}/rates/${path}/${id}`)).data.id)
        const filtered = await send('rates', `${mine}/rates?work_type=${type}`)
        assert.deepEqual(
          filtered.items.map((item: AnyJson) => item.id),
          [id],
        )
      }
      const [manga, novel, galgame] = items
      assert.deepEqual([manga.status, manga.rate, manga.rate_content], [null, 6, null])
      assert.deepEqual(novel.dimensions, [
        { key: 'plot', score: 7.5 },
        { key: 'writing', score: 8 },
      ])
      assert.deepEqual(galgame.dimensions, [{ key: 'scenario', score: 9 }])
      const scored = await send('rates', `${mine}/rates?scored=true&status=COMPLETED`)
      assert.equal(scored.meta.total_items, 1)
      await send(null, `${mine}/rates?page_size=101`, { status: 422 })
    }
  })

  it('includes single ratings of each kind, without an envelope where the specification shows none', async () => {
    for (const [index, mine] of MINE.entries()) {
      const at = (path: string) =>
        `${mine}/rates/${path}/${works.find((work) => work.path === path)?.id}`
      const put = { method: 'PUT', body: {} }
      await send('galgameRecord', at('galgames'), put)
      await send('lightNovelRecord', at('light-novels'), { ...put, bare: index === 0 })
      await send('mangaRecord', at('mangas'), put)
      await send('galgameRecord', at('galgames'))
      await send('lightNovelRecord', at('light-novels'))
      await send('mangaRecord', at('mangas'))
      const body = { status: 'PLAN' }
      assert.equal(
        (await send('mangaRecord', at('mangas'), { method: 'PUT', body })).status,
        'PLAN',
      )
      const cleared = await send('mangaRecord', at('mangas'), {
        method: 'PUT',
        body: { status: null },
      })
      assert.deepEqual([cleared.status, cleared.rate], [null, 6])
    }
  })

  it('lists collections as a bare array, and filters their items by type and title', async () => {
    for (const mine of MINE) {
      const all = `${mine}/collections`
      const body = { name: 'x'.repeat(255), description: 'y'.repeat(2_000), is_private: true }
      const created = await send('collection', all, { method: 'POST', body })
      assert.deepEqual({ ...created, ...body }, created)
      assert.deepEqual([created.owner_id, created.is_default], [readerId, false])
      const one = `${all}/${created.id}`
      const changed = await send('collection', one, {
        method: 'PATCH',
        body: { description: null },
      })
      assert.equal(changed.description, null)
      await send('collection', one)
      for (const { path, id } of works)
        await send('favorited', `${one}/${path}/${id}`, {
          method: 'PUT',
          body: { note: 'z'.repeat(2_000) },
        })
      const listed = (await send('collections', all)).find(({ id }: AnyJson) => id === created.id)
      assert.equal(listed.item_count, 3)

      const { items, type_counts } = await send('items', `${one}/items`)
      assert.deepEqual(type_counts, {
        total: 3,
        galgame: 1,
        light_novel: 1,
        manga: 1,
        article: 0,
        post: 0,
      })
      for (const { kind, id } of works) {
        const item = items.find(({ type }: AnyJson) => type === kind)
        assert.deepEqual([item.work_id, item[kind].id], [id, id])
        const others = works.filter((work) => work.kind !== kind)
        assert.ok(others.every((other) => !(other.kind in item)))
        const title: string = item[kind].origin_title ?? item[kind].name
        const keyword = encodeURIComponent(title.slice(1).toLowerCase())
        const found = await send('items', `${one}/items?type=${kind}&keyword=${keyword}`)
        assert.deepEqual(
          found.items.map((hit: AnyJson) => hit.id),
          [item.id],
        )
        assert.equal(found.meta.total_items, 1)
      }
      const none = await send(
        'items',
        `${one}/items?keyword=${encodeURIComponent('%_\n no such title')}`,
      )
      assert.deepEqual([none.items, none.type_counts.galgame], [[], 0])
      for (const type of ['article', 'post']) {
        const empty = await send('items', `${one}/items?type=${type}`)
        assert.deepEqual([empty.items, empty.meta.total_items], [[], 0])
      }
      for (const { path, id } of works.slice(1)) {
        await send(null, `${one}/${path}/${id}`, { method: 'DELETE', status: 204 })
        await send('favorited', `${one}/${path}/${id}`, { method: 'PUT' })
      }
      await send(null, `${one}/people/1`, { method: 'PUT', body: {}, status: 404 })
    }
  })

  it('includes the statistics of a work, with and without a token', async () => {
    await waitForTotals(service.db)
    const reading = await service.token('catalog:read')
    const shapes = {
      galgame: 'galgameStatistics',
      light_novel: 'lightNovelStatistics',
      manga: 'mangaStatistics',
    } as const
    for (const { path, kind, id } of works) {
      // as: the kinds of the works above
      const shape = shapes[kind as keyof typeof shapes]
      const responses = await Promise.all([
        send(shape, `/api/v3/open/${path}/${id}/rates/statistics`, { token: reading }),
        send(shape, `/v3/${path}/${id}/rates/statistics`, { token: reading }),
        send(shape, `/api/v3/${path}/${id}/rates/statistics`, { token: undefined }),
      ])
      assert.deepEqual(responses[1], responses[0])
      assert.deepEqual(responses[2], responses[0])
      assert.equal(responses[0].total_count, 1)
    }
  })

  it('limits the change feed to 500 changes per page, and writes resource types in upper case', async () => {
    await numberAllChanges(service.db)
    const following = await service.token('catalog:full catalog:sync')
    const seen = new Set<string>()
    let since = 0
    for (const family of ['/api/v3/open', '/v3'])
      for (let more = true; more;) {
        const path = `${family}/catalog/changes?since=${since}&limit=500`
        const part = await send('changes', path, { token: following })
        for (const { resource_type } of part.items) seen.add(resource_type)
        more = part.has_more
        since = part.items.at(-1)?.id ?? part.latest_id
      }
    assert.equal(seen.size, 9, [...seen].join(' '))
    for (const limit of [0, 501])
      await send(null, `/v3/catalog/changes?limit=${limit}`, { token: following, status: 422 })
  })

  it('includes the logos of apps, and a null secret if a change creates no new one', async () => {
    const { user } = await signIn(service)
    const by = { token: (await consoleTokens(service, user)).access_token }
    const logo = 'https://example.org/logo.png'
    const body = { client_name: 'A launcher', logo }
    const created = await send('appWithSecret', APPS_PATH, {
      ...by,
      method: 'POST',
      body,
      status: 201,
    })
    assert.equal(created.logo, logo)
    const path = `${APPS_PATH}/${created.client_id}`
    const secretOf = async (path: string) => 'client_secret' in (await send('app', path, by))
    assert.equal(await secretOf(path), false)
    const [listed] = await send('apps', APPS_PATH, by)
    assert.deepEqual(['client_secret' in listed, listed.logo], [false, logo])
    const patch = (change: object) => ({ ...by, method: 'PATCH', body: change })
    assert.equal((await send('appWithoutSecret', path, patch({ logo: null }))).logo, null)
    await send('appWithoutSecret', path, patch({ client_type: 'public' }))
    await send('appWithSecret', path, patch({ client_type: 'confidential' }))
    await send('appWithSecret', `${path}/secret`, { ...by, method: 'POST' })
    const open = { client_name: 'Open', client_type: 'public' }
    await send('appWithoutSecret', APPS_PATH, { ...by, method: 'POST', body: open, status: 201 })
    for (const wrong of [
      'http://example.org/logo.png',
      'https://example.org/#logo',
      '',
      'javascript:1',
      7,
    ])
      await send(null, path, { ...patch({ logo: wrong }), status: 422 })
  })
})
