import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { updateProfile } from '../accounts/queries.ts'
import type { CollectionItem, PublicCollection } from './schemas.ts'
import {
  requestCollections,
  createCollectionOwner,
  OWN_COLLECTIONS,
  PUBLIC_COLLECTIONS,
  PUBLIC_COLLECTIONS_ALIAS,
  pickSampleWorks,
  startCollectionService,
  type CollectionOwner,
  type ListPage,
} from '#test/collections.ts'

describeOnDatabase('a public collection', (engine) => {
  let service: TestService
  let owner: CollectionOwner
  let works: Awaited<ReturnType<typeof pickSampleWorks>>
  let reading: string
  let full: string
  before(async () => {
    service = await startCollectionService(engine)
    owner = await createCollectionOwner(service)
    works = await pickSampleWorks(service.db)
    reading = await service.token('catalog:read')
    full = await service.token('catalog:full')
  })
  after(() => service.close())

  const get = <Data = PublicCollection>(path: string, token = reading, headers = {}) =>
    requestCollections<Data>(service, PUBLIC_COLLECTIONS + path, token, { headers })
  const itemsOf = async (id: number, token = reading, query = '') =>
    (await get<ListPage<CollectionItem>>(`/${id}/items${query}`, token)).data

  it('is shown with its owner under both path prefixes', async () => {
    const { id, name, description, created_at } = await owner.create({
      name: 'Shown',
      description: 'Text',
    })
    await sql`update collections set updated_at = updated_at - interval '1 day' where id = ${id}`.execute(
      service.db,
    )
    await owner.put(id, `galgames/${works.galgame}`, { note: 'A note' })
    const { data, headers } = await get(`/${id}`)
    const { updated_at, ...rest } = data
    assert.deepEqual(rest, {
      id,
      name,
      description,
      owner: { id: owner.user.id, name: 'Reader', picture: null },
      item_count: 1,
      created_at,
    })
    assert.ok(updated_at >= created_at)
    assert.equal(headers.get('cache-control'), 'private, max-age=60')
    const own = (await owner.send<ListPage<CollectionItem>>('GET', `/${id}/items`)).data
    assert.deepEqual(await itemsOf(id), own)
    for (const path of [`/${id}`, `/${id}/items`])
      assert.deepEqual(
        (await requestCollections(service, PUBLIC_COLLECTIONS_ALIAS + path, reading)).data,
        (await get(path)).data,
      )
  })

  it('shows the nickname and picture of its owner, but not the email address', async () => {
    const user = await createCollectionOwner(service)
    const { id } = await user.create()
    const profile = { nickname: 'Nagisa', picture: 'https://example.org/nagisa.png' }
    await updateProfile(service.db, user.user.id, profile)
    const { data, text } = await get(`/${id}`)
    assert.deepEqual(data.owner, { id: user.user.id, name: 'Nagisa', picture: profile.picture })
    assert.ok(!text.includes('@'))
  })

  it('hides nsfw works and their number without catalog:full', async () => {
    const { id } = await owner.create()
    for (const workId of [works.galgame, works.nsfw, works.secondGalgame])
      await owner.put(id, `galgames/${workId}`)
    const seen = async (token: string) => {
      const { items, meta } = await itemsOf(id, token)
      const second = await itemsOf(id, token, '?page=2&page_size=1&work_type=galgame')
      return {
        count: (await get(`/${id}`, token)).data.item_count,
        ids: items.map(({ work_id }) => work_id),
        total: meta.total_items,
        second: second.items[0]?.work_id,
      }
    }
    const { galgame, secondGalgame, nsfw } = works
    assert.deepEqual(await seen(reading), {
      count: 2,
      ids: [secondGalgame, galgame],
      total: 2,
      second: galgame,
    })
    assert.deepEqual(await seen(full), {
      count: 3,
      ids: [secondGalgame, nsfw, galgame],
      total: 3,
      second: nsfw,
    })
  })

  it('is indistinguishable from a missing collection once it is private, even by its ETag', async () => {
    const never = 4_503_599_627_370_400
    const strip = ({ status, text }: { status: number; text: string }) => {
      // as: the failure envelope
      const { error } = JSON.parse(text) as { error: unknown }
      return { status, error }
    }
    for (const make of ['private from the start', 'made private'] as const) {
      const { id } = await owner.create({ is_private: make === 'private from the start' })
      await owner.put(id, `galgames/${works.galgame}`)
      const shown = await Promise.all([get(`/${id}`), get(`/${id}/items`)])
      await owner.send('PATCH', `/${id}`, { is_private: true })
      for (const token of [reading, full])
        for (const [index, rest] of ['', '/items', '/items?work_type=galgame'].entries()) {
          const hidden = await get(`/${id}${rest}`, token)
          const none = await get(`/${never}${rest}`, token)
          assert.deepEqual(strip(hidden), strip(none))
          assert.equal(hidden.status, 404)
          assert.equal(hidden.headers.get('etag'), null)
          for (const etag of [shown[index % 2]?.headers.get('etag') ?? '"x"', '*'])
            assert.equal((await get(`/${id}${rest}`, token, { 'if-none-match': etag })).status, 404)
        }
    }
  })

  it('is hidden even from its owner while it is private, and reappears when it is made public again', async () => {
    const { id } = await owner.create({ is_private: true })
    const both = await createCollectionOwner(service, {
      scope: 'catalog:read collection:write',
      user: owner.user,
    })
    assert.equal((await get(`/${id}`, both.token)).status, 404)
    await owner.send('PATCH', `/${id}`, { is_private: false })
    assert.equal((await get(`/${id}`, both.token)).status, 200)
  })

  it('is hidden if its owner is banned or deleted', async () => {
    const [banned, deleted] = [
      await createCollectionOwner(service),
      await createCollectionOwner(service),
    ]
    for (const user of [banned, deleted]) {
      const { id } = await user.create()
      assert.equal((await get(`/${id}`)).status, 200)
      if (user === banned) await banAccount(service.db, user.user.id, 'spam')
      else await deleteAccount(service.db, user.user.id)
      await eventually(async () => (await get(`/${id}`)).status === 404)
      assert.equal((await get(`/${id}/items`)).status, 404)
    }
  })

  it('is available only by id: there is no list and no `default`, and an invalid id results in 404', async () => {
    for (const id of ['default', '0', '-1', 'x', '1.5', '9007199254740992', '%00']) {
      const { status, code } = await get(`/${id}`)
      assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], id)
      assert.equal((await get(`/${id}/items`)).status, 404)
    }
    assert.equal((await service.get(PUBLIC_COLLECTIONS, reading)).status, 404)
    const { id } = await owner.create()
    for (const [query, field] of [
      ['page=0', 'page'],
      ['work_type=x', 'work_type'],
    ]) {
      const { status, fields } = await get(`/${id}/items?${query}`)
      assert.deepEqual([status, fields], [422, [field]])
    }
  })

  it('has a strong ETag that changes with its content, and returns 304 for a match', async () => {
    const { id } = await owner.create()
    const etags = new Set<string>()
    for (const change of [
      async () => {},
      () => owner.put(id, `galgames/${works.galgame}`),
      () => owner.put(id, `galgames/${works.galgame}`, { note: 'Changed' }),
    ]) {
      await change()
      for (const rest of ['', '/items']) {
        const etag = (await get(`/${id}${rest}`)).headers.get('etag') ?? ''
        assert.match(etag, /^"[\w-]+"$/)
        const repeat = await get(`/${id}${rest}`, reading, { 'if-none-match': etag })
        assert.deepEqual([repeat.status, repeat.text], [304, ''])
        etags.add(rest + etag)
      }
    }
    assert.ok(etags.size >= 5, [...etags].join(' '))
  })

  it('requires a catalog token, and returns 401 or 403 without it', async () => {
    const { id } = await owner.create()
    for (const family of [PUBLIC_COLLECTIONS, PUBLIC_COLLECTIONS_ALIAS])
      for (const rest of ['', '/items']) {
        assert.equal((await requestCollections(service, `${family}/${id}${rest}`)).status, 401)
        assert.equal(
          (await requestCollections(service, `${family}/${id}${rest}`, owner.token)).status,
          403,
        )
        const { status } = await requestCollections(service, `${family}/${id}${rest}`, reading, {
          method: 'PUT',
          body: {},
        })
        assert.equal(status, 405)
      }
    assert.equal((await requestCollections(service, OWN_COLLECTIONS, reading)).status, 401)
  })
})
