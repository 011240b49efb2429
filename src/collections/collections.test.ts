import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { insertAccount } from '../accounts/queries.ts'
import type { Collection } from './schemas.ts'
import {
  requestCollections,
  createCollectionOwner,
  raceBehindLock,
  OWN_COLLECTIONS,
  OWN_COLLECTIONS_ALIAS,
  pickSampleWorks,
  startCollectionService,
  type CollectionOwner,
} from '#test/collections.ts'

describeOnDatabase('the collections API', (engine) => {
  let service: TestService
  let collector: CollectionOwner
  before(async () => {
    service = await startCollectionService(engine)
    collector = await createCollectionOwner(service)
  })
  after(() => service.close())

  const list = async (of: CollectionOwner, query = '') =>
    (await of.send<Collection[]>('GET', query)).data

  it('gives a new user one collection, which is also available as `default`', async () => {
    const collector = await createCollectionOwner(service)
    const [first, ...others] = await list(collector)
    assert.ok(first)
    assert.deepEqual(others, [])
    const { id, created_at, updated_at, ...rest } = first
    assert.deepEqual(rest, {
      owner_id: collector.user.id,
      name: 'Favourites',
      description: null,
      is_private: false,
      is_default: true,
      item_count: 0,
    })
    assert.ok(Number.isSafeInteger(id) && id > 0)
    assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(updated_at, created_at)
    assert.deepEqual((await collector.send('GET', '/default')).data, first)
    assert.deepEqual((await collector.send('GET', `/${id}`)).data, first)
  })

  it('includes a default collection for every account, however the account was created', async () => {
    const { db } = service
    const password_hash = 'x'
    const inserted = await insertAccount(db, {
      email: 'any@example.org',
      name: 'Any',
      password_hash,
      verified: false,
    })
    assert.ok(inserted)
    const { rows } = await sql`
      select name, is_default from collections where account_id = ${inserted}`.execute(db)
    assert.deepEqual(rows, [{ name: 'Favourites', is_default: true }])
  })

  it('creates a missing default collection on first access', async () => {
    const work = `/items/galgames/${(await pickSampleWorks(service.db)).galgame}`
    for (const [method, path, body, status] of [
      ['GET', '', undefined, 200],
      ['GET', '?page=2&page_size=1', undefined, 200],
      ['GET', '/default', undefined, 200],
      ['GET', '/default/items', undefined, 200],
      ['GET', `/default${work}`, undefined, 404],
      ['POST', '', { name: 'Another' }, 200],
      ['PATCH', '/default', { name: 'Another' }, 200],
      ['PUT', `/default${work}`, {}, 200],
      ['DELETE', `/default${work}`, undefined, 204],
    ] as const) {
      const collector = await createCollectionOwner(service)
      await sql`delete from collections where account_id = ${collector.user.id}`.execute(service.db)
      const responses = await Promise.all([1, 2, 3].map(() => collector.send(method, path, body)))
      assert.deepEqual(
        responses.map((response) => response.status),
        [status, status, status],
        `${method} ${path}`,
      )
      const defaults = (await list(collector)).map(({ is_default }) => is_default)
      assert.deepEqual(
        defaults.slice(0, 2),
        method === 'POST' ? [true, false] : [true],
        `${method} ${path}`,
      )
    }
  })

  it('keeps exactly one default collection until the account is deleted', async () => {
    const { db } = service
    const { user, send: sendOwn } = await createCollectionOwner(service)
    const { id } = user
    const [only] = (await sendOwn<{ id: number }[]>('GET')).data
    for (const path of ['/default', `/${only?.id}`])
      assert.equal((await sendOwn('DELETE', path)).status, 409)
    await assert.rejects(
      sql`insert into collections (account_id, name, is_default) values (${id}, 'Another', true)`.execute(
        db,
      ),
    )
    await sendOwn('PUT', `/default/items/galgames/${(await pickSampleWorks(db)).galgame}`, {})
    assert.equal(await deleteAccount(db, id), true)
    const remaining = await db
      .selectFrom('collections')
      .select('id')
      .where('account_id', '=', id)
      .execute()
    assert.deepEqual(remaining, [])
  })

  it('trims names, and stores line endings in descriptions as line feeds', async () => {
    const { status, data, headers } = await collector.send('POST', '', {
      name: '  Quiet endings \t',
      description: 'One\r\ntwo\rthree\n',
      is_private: true,
    })
    assert.equal(status, 200)
    assert.equal(headers.get('location'), `${OWN_COLLECTIONS}/${data.id}`)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { name, description, is_private, is_default, item_count } = data
    assert.deepEqual(
      { name, description, is_private, is_default, item_count },
      {
        name: 'Quiet endings',
        description: 'One\ntwo\nthree\n',
        is_private: true,
        is_default: false,
        item_count: 0,
      },
    )
    assert.deepEqual((await collector.send('GET', `/${data.id}`)).data, data)
  })

  it('creates public collections with unpredictable ids by default', async () => {
    const [first, second] = [await collector.create(), await collector.create()]
    assert.equal(first.is_private, false)
    assert.ok(Math.abs(first.id - second.id) > 1_000)
  })

  it('lists collections in pages, the default one first, then by age', async () => {
    const collector = await createCollectionOwner(service)
    for (const name of ['One', 'Two', 'Three']) await collector.create({ name })
    const names = async (query: string) => (await list(collector, query)).map(({ name }) => name)
    await sql`update collections set created_at = now() where account_id = ${collector.user.id} and is_default`.execute(
      service.db,
    )
    assert.deepEqual(await names(''), ['Favourites', 'One', 'Two', 'Three'])
    assert.deepEqual(await names('?page_size=3'), ['Favourites', 'One', 'Two'])
    assert.deepEqual(await names('?page=2&page_size=3'), ['Three'])
    const { data, headers } = await collector.send('GET', '?page=9007199254740991&page_size=100')
    assert.deepEqual([data, headers.get('x-total-count')], [[], '4'])
    const paged = await collector.send('GET', '?page_size=3')
    assert.match(
      paged.headers.get('link') ?? '',
      /\/v3\/user\/me\/collections\?page_size=3&page=2>; rel="next"/,
    )
  })

  it('changes only the fields that are sent, and updates `updated_at`', async () => {
    const { id, ...before } = await collector.create({ name: 'Before', description: 'Text' })
    await sql`update collections set updated_at = updated_at - interval '1 day' where id = ${id}`.execute(
      service.db,
    )
    const renamed = (await collector.send('PATCH', `/${id}`, { name: 'After' })).data
    assert.ok(renamed.updated_at >= before.updated_at, 'the time of the change')
    assert.deepEqual(
      { ...renamed, updated_at: '' },
      { id, ...before, name: 'After', updated_at: '' },
    )
    const hidden = (await collector.send('PATCH', `/${id}`, { is_private: true, description: '' }))
      .data
    assert.deepEqual([hidden.name, hidden.description, hidden.is_private], ['After', null, true])
    assert.deepEqual((await collector.send('PATCH', `/${id}`, {})).data, hidden, 'nothing changes')
  })

  it('keeps `updated_at` if nothing changes', async () => {
    const { id } = await collector.create({ name: 'Before', description: 'Text', is_private: true })
    await sql`update collections set updated_at = updated_at - interval '1 day' where id = ${id}`.execute(
      service.db,
    )
    let last = (await collector.send('GET', `/${id}`)).data
    for (const change of [
      {},
      { name: ' Before ' },
      { name: 'Before', description: 'Text', is_private: true },
    ])
      assert.deepEqual(
        (await collector.send('PATCH', `/${id}`, change)).data,
        last,
        JSON.stringify(change),
      )
    for (const change of [
      { name: 'After', is_private: true },
      { description: 'Other' },
      { description: null },
      { is_private: false },
    ]) {
      const { data } = await collector.send('PATCH', `/${id}`, change)
      assert.deepEqual(data, { ...last, ...change, updated_at: data.updated_at })
      assert.ok(data.updated_at > last.updated_at, JSON.stringify(change))
      last = data
      await sleep(2)
    }
  })

  it('allows changes to the default collection, but returns 409 for its deletion', async () => {
    const collector = await createCollectionOwner(service)
    const change = { name: 'Liked', is_private: true }
    const { data } = await collector.send('PATCH', '/default', change)
    assert.deepEqual([data.name, data.is_private, data.is_default], ['Liked', true, true])
    for (const path of ['/default', `/${data.id}`]) {
      const { status, code } = await collector.send('DELETE', path)
      assert.deepEqual([status, code], [409, 'COMMON_CONFLICT'])
    }
    assert.equal((await collector.send('GET', '/default')).status, 200)
  })

  it('deletes a collection with its items, and succeeds if the collection is missing', async () => {
    const { id } = await collector.create()
    assert.equal((await collector.put(id, 'galgames/1')).status, 200)
    const { status, text } = await collector.send('DELETE', `/${id}`)
    assert.deepEqual([status, text], [204, ''])
    assert.equal((await collector.send('DELETE', `/${id}`)).status, 204)
    assert.equal((await collector.send('GET', `/${id}`)).status, 404)
  })

  it('behaves the same under the other path prefix, which appears in Location', async () => {
    const { token } = collector
    const created = await requestCollections<Collection>(service, OWN_COLLECTIONS_ALIAS, token, {
      method: 'POST',
      body: { name: 'Two ways' },
    })
    const { id } = created.data
    assert.equal(created.headers.get('location'), `${OWN_COLLECTIONS_ALIAS}/${id}`)
    const twice = await Promise.all(
      [OWN_COLLECTIONS, OWN_COLLECTIONS_ALIAS].map(
        async (path) =>
          (await requestCollections<Collection>(service, `${path}/${id}`, token)).data,
      ),
    )
    assert.deepEqual(twice[0], twice[1])
    assert.equal(
      (
        await requestCollections(service, `${OWN_COLLECTIONS_ALIAS}/${id}`, token, {
          method: 'DELETE',
        })
      ).status,
      204,
    )
  })

  it('rejects an invalid body, names every invalid field and stores nothing', async () => {
    const collector = await createCollectionOwner(service)
    const own = await collector.create({ name: 'Mine', description: 'Text' })
    const cases: [body: object | string, fields: string[]][] = [
      [{ name: '' }, ['name']],
      [{ name: ' \n\t ' }, ['name']],
      [{ name: 'x'.repeat(256) }, ['name']],
      [{ name: 'a\u0000b' }, ['name']],
      [{ name: 'a\nb' }, ['name']],
      [{ name: 'a\u202eb' }, ['name']],
      ['{"name": "\\ud83d"}', ['name']],
      [{ name: 7 }, ['name']],
      [{ name: null }, ['name']],
      [{ name: ['x'] }, ['name']],
      [{ name: 'x', description: 'x'.repeat(2_001) }, ['description']],
      [{ name: 'x', description: '\u0000' }, ['description']],
      ['{"name": "x", "description": "\\udc00 \\ud83d"}', ['description']],
      [{ name: 'x', is_private: 'true' }, ['is_private']],
      [{ name: 'x', is_private: null }, ['is_private']],
      [{ name: 'x', item_count: 3 }, ['item_count']],
      [{ name: 'x', is_default: true }, ['is_default']],
      [{ name: 'x', id: 1 }, ['id']],
      ['{"name": "x", "a\\u0000b": 1}', ['a\u0000b']],
      [
        { name: '', description: 'x'.repeat(2_001), is_private: 1 },
        ['is_private', 'name', 'description'],
      ],
      ['[]', ['body']],
      ['"text"', ['body']],
      ['null', ['body']],
    ]
    for (const [body, fields] of cases)
      for (const [method, path] of [
        ['POST', ''],
        ['PATCH', `/${own.id}`],
      ] as const) {
        const response = await collector.send(method, path, body)
        assert.equal(response.status, 422, `${method} ${JSON.stringify(body)}: ${response.text}`)
        assert.equal(response.code, 'COMMON_VALIDATION_FAILED')
        assert.deepEqual(response.fields.toSorted(), fields.toSorted(), JSON.stringify(body))
      }
    assert.deepEqual((await collector.send('POST', '', {})).fields, ['name'])
    assert.deepEqual((await collector.send('POST', '', '{')).status, 400)
    assert.equal((await list(collector)).length, 2)
    assert.deepEqual((await collector.send('GET', `/${own.id}`)).data, own)
  })

  it('limits lengths in characters, not in bytes or surrogates', async () => {
    const name = '😀'.repeat(255)
    const description = '語'.repeat(1_999) + '😀'
    const created = await collector.create({ name: ` ${name} `, description })
    assert.deepEqual([created.name, created.description], [name, description])
  })

  it('rejects invalid pages', async () => {
    for (const [query, field] of [
      ['page=0', 'page'],
      ['page_size=101', 'page_size'],
      ['page_size=x', 'page_size'],
      ['page=%00', 'page'],
    ] as const) {
      const { status, fields } = await collector.send('GET', `?${query}`)
      assert.deepEqual([status, fields], [422, [field]], query)
    }
    assert.equal((await collector.send('GET', '?unknown=1')).status, 200)
  })

  it('limits a user to two hundred collections under concurrent creation', async () => {
    const collector = await createCollectionOwner(service)
    const before = 198
    await sql`insert into collections (account_id, name)
      select ${collector.user.id}, 'Filler ' || n from generate_series(1, ${before}) n`.execute(
      service.db,
    )
    const responses = await Promise.all(
      Array.from({ length: 25 }, (_, n) => collector.send('POST', '', { name: `Racer ${n}` })),
    )
    const outcomes = responses.map(({ status, fields }) => [status, ...fields].join(' ')).toSorted()
    assert.deepEqual(outcomes, ['200', ...Array.from({ length: 24 }, () => '422 collections')])
    assert.equal((await list(collector)).length, 200)
    const filler = (await list(collector)).at(-1)

    assert.equal((await collector.send('DELETE', `/${filler?.id}`)).status, 204)
    assert.equal((await collector.send('POST', '', { name: 'Room again' })).status, 200)
  })

  if (engine === 'server')
    it('limits a user to two hundred collections even if all requests check the limit before any of them writes', async () => {
      const collector = await createCollectionOwner(service)
      await sql`insert into collections (account_id, name)
        select ${collector.user.id}, 'Filler ' || n from generate_series(1, 198) n`.execute(
        service.db,
      )
      const create = () => collector.send('POST', '', { name: 'Racer' })
      const writing = sql`lock table collections in share mode`
      const responses = await raceBehindLock(service.db, writing, [create, create, create])
      assert.deepEqual(responses.map(({ status }) => status).toSorted(), [200, 422, 422])
      assert.equal((await list(collector)).length, 200)
    })
})
