import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { distinctResponses, sendApiRequest } from '#test/user-api.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import type { Collection } from './schemas.ts'
import {
  requestCollections,
  createCollectionOwner,
  OWN_COLLECTIONS,
  OWN_COLLECTIONS_ALIAS,
  startCollectionService,
  type CollectionOwner,
  type RequestOptions,
} from '#test/collections.ts'

/** All operations on the collection with this id. */
const operations = (id: number | 'default'): [method: string, path: string, body?: object][] => [
  ['GET', ''],
  ['POST', '', { name: 'New' }],
  ['GET', '/containing/galgames/1'],
  ['GET', `/${id}`],
  ['PATCH', `/${id}`, { name: 'Stolen' }],
  ['GET', `/${id}/items`],
  ['GET', `/${id}/items/galgames/1`],
  ['PUT', `/${id}/items/galgames/1`, { note: 'Stolen' }],
  ['DELETE', `/${id}/items/galgames/1`],
  ['PUT', `/${id}/galgames/1`, { note: 'Stolen' }],
  ['DELETE', `/${id}/galgames/1`],
  ['DELETE', `/${id}`],
]
const reads = (method: string) => method === 'GET'

describeOnDatabase('access to collections', (engine) => {
  let service: TestService
  let owner: CollectionOwner
  before(async () => {
    service = await startCollectionService(engine)
    owner = await createCollectionOwner(service)
  })
  after(() => service.close())

  const responseTo = (token: string | undefined, which: (method: string) => boolean = () => true) =>
    distinctResponses(
      [OWN_COLLECTIONS, OWN_COLLECTIONS_ALIAS].flatMap((family) =>
        operations('default')
          .filter(([method]) => which(method))
          .map(([method, path, body]) => ({ method, path: family + path, body })),
      ),
      (request) => sendApiRequest(service.url, { ...request, token }),
    )

  it('is denied with 401 without a valid user-level token', async () => {
    assert.equal(await responseTo(undefined), '401 AUTH_UNAUTHENTICATED')
    assert.equal(await responseTo('no.good.token'), '401 AUTH_TOKEN_INVALID')
    assert.equal(await responseTo(await service.token('catalog:full')), '401 AUTH_UNAUTHENTICATED')
  })

  it('is denied with 403 if the token lacks the required collection scope', async () => {
    const other = await createCollectionOwner(service, {
      scope: 'status:write user:read catalog:full',
    })
    assert.equal(await responseTo(other.token), '403 AUTH_FORBIDDEN')
    assert.deepEqual((await other.send('GET')).details, { required_scope: 'collection:read' })
  })

  it('is read-only with collection:read', async () => {
    const reading = await createCollectionOwner(service, {
      scope: 'collection:read',
      user: owner.user,
    })
    assert.equal(await responseTo(reading.token, (method) => !reads(method)), '403 AUTH_FORBIDDEN')
    assert.deepEqual((await reading.send('POST', '', { name: 'x' })).details, {
      required_scope: 'collection:write',
    })
    assert.equal((await reading.send('GET')).status, 200)
    assert.equal((await reading.send('GET', '/default/items')).status, 200)
  })

  it('is denied to banned users', async () => {
    const user = await createCollectionOwner(service)
    await banAccount(service.db, user.user.id, 'spam')
    await eventually(async () => (await user.send('GET')).code === 'USER_BANNED')
    assert.equal(await responseTo(user.token), '403 USER_BANNED')
  })

  it('is denied to deleted accounts even before every process knows that their tokens are revoked', async () => {
    const deletedUser = await createCollectionOwner(service)
    await deleteAccount(service.db, deletedUser.user.id)
    const { status, code } = await deletedUser.send('POST', '', { name: 'Too late' })
    assert.deepEqual([status, code], [401, 'AUTH_TOKEN_INVALID'])
  })

  it('is denied with 405 for unsupported methods', async () => {
    for (const [method, path] of [
      ['DELETE', ''],
      ['PUT', '/default'],
      ['POST', '/default'],
      ['POST', '/default/items'],
      ['POST', '/default/items/galgames/1'],
      ['PATCH', '/default/items/galgames/1'],
      ['PUT', '/containing/galgames/1'],
    ] as const)
      for (const family of [OWN_COLLECTIONS, OWN_COLLECTIONS_ALIAS]) {
        const { status, headers } = await requestCollections(service, family + path, owner.token, {
          method,
          body: {},
        })
        assert.equal(status, 405, `${method} ${path}`)
        assert.ok(headers.get('allow')?.includes('GET'))
      }
  })

  it('is denied with 404 for malformed ids', async () => {
    for (const id of [
      '0',
      '-1',
      '1.5',
      'abc',
      'Default',
      '9007199254740992',
      '1e3',
      '%00',
      '%F0%9F%98%80',
    ])
      for (const [method, path, body] of [
        ['GET', `/${id}`],
        ['PATCH', `/${id}`, { name: 'x' }],
        ['DELETE', `/${id}`],
        ['GET', `/${id}/items`],
        ['PUT', `/${id}/items/galgames/1`, {}],
        ['DELETE', `/${id}/items/galgames/1`],
      ] as [string, string, object?][]) {
        const { status, code } = await owner.send(method, path, body)
        assert.deepEqual([status, code], [404, 'COMMON_NOT_FOUND'], `${method} ${path}`)
      }
    assert.equal((await owner.send('GET', '/%ff')).status, 400)
  })

  it('is denied for other users’ collections, with the same error as for missing ones', async () => {
    const otherUser = await createCollectionOwner(service)
    for (const is_private of [false, true]) {
      const { id } = await owner.create({ name: 'Mine', is_private })
      await owner.put(id, 'galgames/1', { note: 'Mine' })
      const before = (await owner.send('GET', `/${id}`)).data
      const never = 4_503_599_627_370_400
      const named = ([, path]: [string, string, object?]) => /^\/\d/.test(path)
      for (const [index, [method, path, body]] of operations(id).filter(named).entries()) {
        const response = await otherUser.send(method, path, body)
        const [, missing = ''] = operations(never).filter(named)[index] ?? []
        const none = await otherUser.send(method, missing, body)
        assert.deepEqual(
          [response.status, response.code],
          [none.status, none.code],
          `${method} ${path}`,
        )
        // Deleting a missing item succeeds (decision 0013).
        if (method !== 'DELETE' || path.includes('galgames')) assert.equal(response.status, 404)
        else assert.equal(response.status, 204)
      }
      assert.deepEqual((await owner.send('GET', `/${id}`)).data, before)
      assert.deepEqual(await owner.works(id), ['galgame 1 Mine'])
      const { data } = await otherUser.send<Collection[]>('GET')
      assert.deepEqual(
        data.map(({ is_default }) => is_default),
        [true],
      )
      assert.deepEqual((await otherUser.send('GET', '/containing/galgames/1')).data, [])
    }
  })

  it('is limited to the token’s account, even if the request names another account', async () => {
    const [targetUser, mine] = [
      await createCollectionOwner(service),
      await createCollectionOwner(service),
    ]
    const { id } = targetUser.user
    const query = `?account_id=${id}&user_id=${id}&sub=${id}`
    const headers = {
      'x-account-id': String(id),
      'x-user-id': String(id),
      sub: String(id),
      from: String(id),
    }
    const asOwner = (path: string, more: RequestOptions = {}) =>
      requestCollections<Collection[]>(service, path, mine.token, { ...more, headers })
    const listed = await asOwner(OWN_COLLECTIONS + query)
    assert.deepEqual(listed.data[0]?.id, (await mine.send('GET', '/default')).data.id)
    const created = await asOwner(OWN_COLLECTIONS + query, {
      method: 'POST',
      body: { name: 'Whose?' },
    })
    assert.equal(created.status, 200)
    await asOwner(`${OWN_COLLECTIONS}/default/items/galgames/1${query}`, {
      method: 'PUT',
      body: { note: 'Mine' },
    })
    assert.deepEqual(await mine.works('default'), ['galgame 1 Mine'])
    assert.deepEqual(await targetUser.works('default'), [])
    for (const field of ['account_id', 'user_id', 'sub', 'owner']) {
      for (const [method, path] of [
        ['POST', OWN_COLLECTIONS],
        ['PATCH', `${OWN_COLLECTIONS}/default`],
        ['PUT', `${OWN_COLLECTIONS}/default/items/galgames/1`],
      ] as const) {
        const body = method === 'PUT' ? { note: 'x', [field]: id } : { name: 'x', [field]: id }
        const { status, fields } = await requestCollections(service, path, mine.token, {
          method,
          body,
        })
        assert.deepEqual([status, fields], [422, [field]])
      }
    }
    const { rows } = await sql<{ name: string }>`
      select name from collections where account_id = ${id}`.execute(service.db)
    assert.deepEqual(rows, [{ name: 'Favourites' }])
  })
})
