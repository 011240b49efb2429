import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { sourceOf } from '#test/picture-sources.ts'
import type { TestService } from '#test/service.ts'
import { inLongTransaction } from '../db/server/long-transaction.ts'
import { toRatedMedia } from '../http/wire/media.ts'
import type { CollectionItem, ContainingCollection } from './schemas.ts'
import {
  requestCollections,
  createCollectionOwner,
  raceBehindLock,
  OWN_COLLECTIONS_ALIAS,
  pickSampleWorks,
  startCollectionService,
  type CollectionOwner,
  type ListPage,
} from '#test/collections.ts'

describeOnDatabase('a collection', (engine) => {
  let service: TestService
  let collector: CollectionOwner
  let works: Awaited<ReturnType<typeof pickSampleWorks>>
  before(async () => {
    service = await startCollectionService(engine)
    collector = await createCollectionOwner(service)
    works = await pickSampleWorks(service.db)
  })
  after(() => service.close())

  const items = async (id: number | 'default', query = '') =>
    (await collector.send<ListPage<CollectionItem>>('GET', `/${id}/items${query}`)).data
  const countOf = async (id: number | 'default') =>
    (await collector.send('GET', `/${id}`)).data.item_count

  /** Builds the credits of a work's summary from the catalog's lists. */
  async function creditsOf(
    path: string,
    id: number,
    token: string,
  ): Promise<Record<string, unknown>> {
    const list = async (name: string) => {
      const response = await service.get(`/api/v3/open/${path}/${id}/${name}`, token)
      // as: lists of credits (§2.4, §2.6)
      return ((await response.json()) as { data: { relation?: string; note: string | null }[] })
        .data
    }
    if (path === 'mangas') return {}
    const producers = (await list('producers')).map((entry) => ({
      ...entry,
      note: entry.note ?? '',
    }))
    if (path === 'galgames') return { producers }
    const first = (entries: object[], name: string) => Object(entries[0])[name] ?? null
    const related = (entries: typeof producers, relation: string) =>
      entries.filter((entry) => entry.relation === relation)
    const people = (await list('people')).map((entry) => ({ ...entry, note: entry.note ?? '' }))
    return {
      author: first(related(people, 'author'), 'person'),
      bunko: first(related(producers, 'bunko'), 'producer'),
      publishers: related(producers, 'publisher').map(({ relation: _relation, ...entry }) => entry),
    }
  }

  it('keeps the id of an item, and uses a different id for the same work in another collection', async () => {
    const [first, second] = [await collector.create(), await collector.create()]
    const path = `galgames/${works.galgame}`
    const added = (await collector.put(first.id, path)).data
    assert.equal((await collector.put(first.id, path, { note: 'Again.' })).data.id, added.id)
    assert.notEqual((await collector.put(second.id, path)).data.id, added.id)
    await collector.send('DELETE', `/${first.id}/items/${path}`)
    const restored = await collector.send<CollectionItem>(
      'POST',
      `/${first.id}/items/${path}/restore`,
    )
    assert.equal(restored.data.id, added.id)
  })

  it('accepts works of every kind and describes them as the catalog does', async () => {
    const { id } = await collector.create()
    const added = [
      ['galgames', 'galgame', works.galgame],
      ['light-novels', 'light_novel', works.lightNovel],
      ['mangas', 'manga', works.manga],
    ] as const
    await sql`update galgames set covers = jsonb_set(covers, '{0}', covers -> 0 || '{"kind": "DIG", "language": "ja"}')
      where id = ${works.galgame}`.execute(service.db)
    const catalogToken = await service.token('catalog:full')
    for (const [path, type, workId] of added) {
      const { status, data } = await collector.put(id, `${path}/${workId}`, { note: `A ${type}` })
      assert.equal(status, 200)
      const {
        id: itemId,
        work,
        created_at,
        added_at,
        updated_at,
        [type]: summary,
        favorited,
        ...rest
      } = data
      assert.ok(itemId > 0 && itemId !== workId)
      assert.deepEqual(rest, {
        type,
        work_type: type.toUpperCase(),
        work_id: workId,
        note: `A ${type}`,
      })
      assert.deepEqual([favorited, created_at], [true, added_at])
      assert.match(added_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(updated_at, added_at)
      assert.ok(Math.abs(Date.parse(added_at) - Date.now()) < 60_000)
      const detail = await service.get(`/api/v3/open/${path}/${workId}`, catalogToken)
      // as: §2.3, §2.6, §2.7
      const { data: containing } = (await detail.json()) as { data: Record<string, unknown> }
      assert.equal(work.id, workId)
      assert.equal(work.name, containing['origin_title'] ?? containing['name'])
      assert.equal(work.trans_name, containing['trans_title'] ?? containing['name_cn'] ?? null)
      // as: OpenCoverDto of the detail (§2.2)
      const [cover] = containing['covers'] as { url: string }[]
      assert.equal(work.image?.url, cover?.url)
      const { covers = [], ...facts } = summary ?? {}
      assert.deepEqual(
        covers.map(({ media: _media, ...fields }) => fields),
        containing['covers'],
      )
      for (const { media, ...shown } of covers)
        // Media ids are derived from the URL at the source.
        assert.deepEqual(media, {
          ...toRatedMedia(shown),
          id: toRatedMedia({ ...shown, url: sourceOf(shown.url) }).id,
        })
      const listed = await creditsOf(path, workId, catalogToken)
      const expected = Object.keys(facts).map((name) => [
        name,
        name in containing ? containing[name] : listed[name],
      ])
      assert.deepEqual(
        facts,
        Object.fromEntries(expected),
        'the same values as in its detail and lists',
      )
      const { favorited: _, ...item } = data
      assert.deepEqual((await collector.send('GET', `/${id}/items/${path}/${workId}`)).data, item)
    }
    assert.equal(await countOf(id), 3)
  })

  it('lists items in pages, most recently added first, and filters them by kind', async () => {
    const { id } = await collector.create()
    for (const work of [
      `galgames/${works.galgame}`,
      `mangas/${works.manga}`,
      `galgames/${works.secondGalgame}`,
    ])
      await collector.put(id, work)
    const ids = async (query: string) =>
      (await items(id, query)).items.map(({ work_id }) => work_id)
    assert.deepEqual(await ids(''), [works.secondGalgame, works.manga, works.galgame])
    for (const query of ['?type=galgame', '?work_type=GALGAME', '?work_type=galgame'])
      assert.deepEqual(await ids(query), [works.secondGalgame, works.galgame], query)
    assert.deepEqual(await ids('?work_type=light_novel'), [])
    assert.deepEqual(await ids('?page=2&page_size=2'), [works.galgame])
    const { meta } = await items(id, '?work_type=galgame&page=2&page_size=1')
    assert.deepEqual(meta, { page: 2, page_size: 1, item_count: 1, total_items: 2, total_pages: 2 })
    assert.equal((await items(id, '?page=9007199254740991&page_size=100')).meta.total_items, 3)
    for (const [query, field] of [
      ['type=person', 'type'],
      ['type=GALGAME', 'type'],
      [`keyword=${'x'.repeat(101)}`, 'keyword'],
      ['keyword=%00', 'keyword'],
      ['work_type=person', 'work_type'],
      ['work_type=%00', 'work_type'],
      ['page=-1', 'page'],
      ['page_size=0', 'page_size'],
    ] as const) {
      const { status, fields } = await collector.send('GET', `/${id}/items?${query}`)
      assert.deepEqual([status, fields], [422, [field]], query)
    }
  })

  it('keeps a note that the request omits, and clears it for null or an empty string', async () => {
    const { id } = await collector.create()
    const work = `galgames/${works.galgame}`
    const put = async (body: object) => (await collector.put(id, work, body)).data
    const first = await put({ note: 'One\r\ntwo\rthree' })
    assert.equal(first.note, 'One\ntwo\nthree')
    assert.deepEqual(await put({}), first, 'nothing changes')
    assert.deepEqual(await put({ note: first.note }), first, 'the item stays unchanged')
    await sql`update collection_items set updated_at = updated_at - interval '1 day'
      where collection_id = ${id}`.execute(service.db)
    const changed = await put({ note: 'Another' })
    assert.deepEqual([changed.note, changed.added_at], ['Another', first.added_at])
    assert.ok(changed.updated_at >= first.updated_at)
    assert.equal((await put({ note: null })).note, '')
    await put({ note: 'Another' })
    assert.equal((await put({ note: '' })).note, '')
    assert.equal(await countOf(id), 1)
  })

  it('updates `updated_at` when an item is added or changed, but not if nothing changes', async () => {
    const { id } = await collector.create()
    await sql`update collections set created_at = created_at - interval '1 day', updated_at = updated_at - interval '1 day'
      where id = ${id}`.execute(service.db)
    const before = (await collector.send('GET', `/${id}`)).data
    const { data } = await collector.put(id, `galgames/${works.galgame}`)
    const after = (await collector.send('GET', `/${id}`)).data
    assert.deepEqual([after.created_at, after.updated_at], [before.created_at, data.added_at])
    await sql`update collections set updated_at = ${before.updated_at} where id = ${id}`.execute(
      service.db,
    )
    const touch = async (body: object) => {
      await collector.put(id, `galgames/${works.galgame}`, body)
      return (await collector.send('GET', `/${id}`)).data.updated_at > before.updated_at
    }
    assert.deepEqual([await touch({}), await touch({ note: 'New' })], [false, true])
  })

  it('orders works added at the same moment by id, highest first', async () => {
    const { id } = await collector.create()
    const ids = [works.secondGalgame, works.galgame, works.nsfw]
    for (const workId of ids) await collector.put(id, `galgames/${workId}`)
    await sql`update collection_items set added_at = '2026-01-01' where collection_id = ${id}`.execute(
      service.db,
    )
    const pages = await Promise.all([1, 2, 3].map((page) => items(id, `?page=${page}&page_size=1`)))
    assert.deepEqual(
      pages.flatMap((page) => page.items.map(({ work_id }) => work_id)),
      ids.toSorted((a, b) => b - a),
    )
  })

  it('accepts nsfw works', async () => {
    const { id } = await collector.create()
    const { status, data } = await collector.put(id, `galgames/${works.nsfw}`)
    assert.deepEqual([status, data.work_id], [200, works.nsfw])
    assert.deepEqual([(await items(id)).meta.total_items, await countOf(id)], [1, 1])
  })

  it('removes works, and accepts the removal of a work that it does not contain', async () => {
    const { id } = await collector.create()
    const path = `/${id}/items/galgames/${works.galgame}`
    await collector.put(id, `galgames/${works.galgame}`)
    assert.equal(
      (await collector.send('DELETE', `/${id}/items/mangas/${works.galgame}`)).status,
      204,
    )
    assert.equal(await countOf(id), 1, 'a work of another kind is another work')
    const { status, text } = await collector.send('DELETE', path)
    assert.deepEqual([status, text], [204, ''])
    assert.equal((await collector.send('DELETE', path)).status, 204)
    assert.equal((await collector.send('DELETE', `/${id}/items/galgames/999999999`)).status, 204)
    const { status: deletedStatus, code } = await collector.send('GET', path)
    assert.deepEqual([deletedStatus, code], [404, 'COMMON_NOT_FOUND'])
    assert.equal(await countOf(id), 0)
  })

  it('is available as `default` and under the other path prefix', async () => {
    const path = `${OWN_COLLECTIONS_ALIAS}/default/items/mangas/${works.manga}`
    const { token } = collector
    assert.equal(
      (await requestCollections(service, path, token, { method: 'PUT', body: {} })).status,
      200,
    )
    assert.equal((await collector.send('GET', `/default/items/mangas/${works.manga}`)).status, 200)
    assert.deepEqual(await collector.works('default'), [`manga ${works.manga}`])
    assert.equal((await requestCollections(service, path, token, { method: 'DELETE' })).status, 204)
    assert.equal(
      (await collector.send('DELETE', `/default/items/mangas/${works.manga}`)).status,
      204,
    )
    assert.equal(await countOf('default'), 0)
  })

  it('returns 404 for a missing work and names the target of a merged one', async () => {
    const { id } = await collector.create()
    await sql`insert into merged_entries (kind, id, merged_into)
      values ('galgame', 810001, ${works.galgame}), ('manga', 810002, ${works.nsfw})`.execute(
      service.db,
    )
    for (const path of [
      'galgames/999999999',
      `mangas/${works.galgame}`,
      'galgames/0',
      'galgames/-1',
      'galgames/1.5',
      'galgames/abc',
      'galgames/9007199254740992',
      'galgames/%00',
      `people/1`,
      `galgame/${works.galgame}`,
      `__proto__/${works.galgame}`,
      `%00/${works.galgame}`,
      'mangas/810001',
    ])
      for (const method of ['PUT', 'GET'] as const) {
        const body = method === 'PUT' ? {} : undefined
        const { status, code } = await collector.send(method, `/${id}/items/${path}`, body)
        assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], `${method} ${path}`)
      }
    for (const method of ['PUT', 'GET'] as const) {
      const body = method === 'PUT' ? {} : undefined
      const { code, details } = await collector.send(method, `/${id}/items/galgames/810001`, body)
      assert.deepEqual([code, details], ['WIKI_RESOURCE_MERGED', { merged_into: works.galgame }])
      const other = await collector.send(method, `/${id}/items/mangas/810002`, body)
      assert.equal(other.code, 'WIKI_RESOURCE_MERGED', 'the same for an nsfw target')
    }
    assert.equal(await countOf(id), 0)
  })

  it('is found by a work that it contains', async () => {
    const user = await createCollectionOwner(service)
    const work = `galgames/${works.galgame}`
    const containing = async (path: string) =>
      (await user.send<ContainingCollection[]>('GET', `/containing/${path}`)).data
    assert.deepEqual(await containing(work), [])
    const [first, second] = [await user.create({ name: 'One' }), await user.create({ name: 'Two' })]
    const favorites = (await user.send('GET', '/default')).data
    for (const { id } of [second, first, favorites]) await user.put(id, work)
    await collector.put('default', work)
    assert.deepEqual(await containing(work), [
      { id: favorites.id, name: 'Favourites', is_default: true },
      { id: first.id, name: 'One', is_default: false },
      { id: second.id, name: 'Two', is_default: false },
    ])
    assert.deepEqual(await containing(`mangas/${works.manga}`), [])
    for (const path of [`mangas/${works.galgame}`, 'galgames/999999999', 'people/1', 'galgames/x'])
      assert.equal((await user.send('GET', `/containing/${path}`)).code, 'COMMON_NOT_FOUND', path)
    await sql`insert into merged_entries (kind, id, merged_into) values ('galgame', 810003, ${works.galgame})`.execute(
      service.db,
    )
    assert.equal(
      (await user.send('GET', '/containing/galgames/810003')).code,
      'WIKI_RESOURCE_MERGED',
    )
  })

  it('rejects an invalid note and stores nothing', async () => {
    const { id } = await collector.create()
    const cases: [body: object | string, fields: string[]][] = [
      [{ note: 'x'.repeat(2_001) }, ['note']],
      [{ note: '\u0000' }, ['note']],
      ['{"note": "\\ud83d"}', ['note']],
      [{ note: 7 }, ['note']],
      [{ note: ['x'] }, ['note']],
      [{ note: 'x', work_id: 1 }, ['work_id']],
      [{ note: 7, added_at: 'x' }, ['note', 'added_at']],
      ['[]', ['body']],
      ['null', ['body']],
    ]
    for (const [body, fields] of cases) {
      const path = `/${id}/items/galgames/${works.galgame}`
      const response = await collector.send('PUT', path, body)
      assert.equal(response.status, 422, `${JSON.stringify(body)}: ${response.text}`)
      assert.deepEqual(response.fields.toSorted(), fields.toSorted())
    }
    const longest = '😀'.repeat(2_000)
    assert.equal(await countOf(id), 0)
    assert.equal(
      (await collector.put(id, `galgames/${works.galgame}`, { note: longest })).data.note,
      longest,
    )
  })

  it('contains a work only once, with an exact item count, after thirty concurrent requests to add it', async () => {
    const { id } = await collector.create()
    const work = `galgames/${works.galgame}`
    const notes = Array.from({ length: 30 }, (_, n) => `Note ${n}`)
    const responses = await Promise.all(notes.map((note) => collector.put(id, work, { note })))
    assert.deepEqual([...new Set(responses.map(({ status }) => status))], [200])
    const { items: kept } = await items(id)
    assert.equal(kept.length, 1)
    assert.ok(notes.includes(kept[0]?.note ?? ''))
    assert.equal(await countOf(id), 1)
  })

  it('keeps an exact item count under concurrent changes, and can be deleted during them', async () => {
    const { id } = await collector.create()
    const some = works.all.slice(0, 10)
    const path = ({ kind, id: workId }: { kind: string; id: number }) =>
      `/${id}/items/${kind.replace('_', '-')}s/${workId}`
    const storm = () =>
      Promise.all(
        some.flatMap((work) => [
          collector.send('PUT', path(work), {}),
          collector.send('DELETE', path(work)),
          collector.send('PUT', path(work), { note: 'Again' }),
        ]),
      )
    const statuses = new Set((await storm()).map(({ status }) => status))
    assert.deepEqual([...statuses].toSorted(), [200, 204])
    const { meta } = await items(id)
    assert.equal(await countOf(id), meta.total_items)
    const { rows } = await sql`select from collection_items where collection_id = ${id}`.execute(
      service.db,
    )
    assert.equal(rows.length, meta.total_items)

    const [responses] = await Promise.all([storm(), collector.send('DELETE', `/${id}`)])
    for (const { status } of responses) assert.ok([200, 204, 404].includes(status), String(status))
    assert.equal((await collector.send('GET', `/${id}`)).status, 404)
  })

  if (engine === 'server')
    it('does not deadlock if it is deleted while one of its items changes', async () => {
      const path = `items/galgames/${works.galgame}`
      for (const [method, body, status] of [
        ['DELETE', undefined, 204],
        ['PUT', { note: 'New' }, 200],
      ] as const) {
        const { id } = await collector.create()
        await collector.put(id, `galgames/${works.galgame}`)
        const item = sql`select from collection_items where collection_id = ${id} for update`
        const responses = await raceBehindLock(service.db, item, [
          () => collector.send(method, `/${id}/${path}`, body),
          () => collector.send('DELETE', `/${id}`),
        ])
        assert.deepEqual(
          responses.map((response) => response.status),
          [status, 204],
          method,
        )
      }
    })

  it('contains at most ten thousand works under concurrent requests', async () => {
    const { id } = await collector.create()
    const numbers = sql`generate_series(2000000, 2009997) number`
    await inLongTransaction(service.db, Infinity, async (trx) => {
      for (const table of ['works', 'work_refs'])
        await sql`insert into ${sql.table(table)} (id, kind) select number, 'galgame' from ${numbers}`.execute(
          trx,
        )
      await sql`insert into collection_items (account_id, collection_id, work_id, last_put)
        select ${collector.user.id}, ${id}, number, 'ADDED' from ${numbers}`.execute(trx)
      await sql`update collections set item_count = 9998 where id = ${id}`.execute(trx)
    })
    assert.equal(await countOf(id), 9_998)
    const paths = works.all
      .slice(0, 6)
      .map(({ kind, id: workId }) => `${kind.replace('_', '-')}s/${workId}`)
    const responses = await Promise.all(paths.map((path) => collector.put(id, path)))
    const outcomes = responses.map(({ status, fields }) => [status, ...fields].join(' ')).toSorted()
    assert.deepEqual(outcomes, ['200', '200', '422 items', '422 items', '422 items', '422 items'])
    assert.equal(await countOf(id), 10_000)
    const kept = paths[responses.findIndex(({ status }) => status === 200)] ?? ''
    assert.equal((await collector.put(id, kept, { note: 'Still changeable' })).status, 200)
    assert.equal((await collector.send('DELETE', `/${id}/items/${kept}`)).status, 204)
    assert.equal((await collector.put(id, kept)).status, 200)
    assert.equal((await collector.send('DELETE', `/${id}`)).status, 204)
  })
})
