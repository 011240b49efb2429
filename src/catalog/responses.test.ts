import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { CATALOG_PATH, startCatalog, type CatalogService } from '#test/catalog-service.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { signal } from '../db/upkeep/signals.ts'

type Json = Record<string, unknown>

describeOnDatabase('catalog responses', (engine) => {
  let service: CatalogService['service']
  let full: CatalogService['full']
  let ids: CatalogService['ids']
  let get: CatalogService['get']
  before(async () => {
    ;({ service, full, ids, get } = await startCatalog(engine))
  })
  after(() => service.close())

  describe('response format', () => {
    it('uses the envelope of §2.1 and repeats the request id in a header', async () => {
      const { status, headers, body } = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['success', 'data', 'request_id', 'timestamp'])
      assert.equal(body['success'], true)
      assert.equal(body['request_id'], headers.get('x-request-id'))
      assert.match(String(body['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    })

    it('keeps a valid request id from the caller and replaces an invalid one', async () => {
      for (const good of ['a', 'Abc-1._', 'x'.repeat(64)])
        assert.equal(
          (await get(`${CATALOG_PATH}/people/${ids.person}`, full, { 'x-request-id': good })).body[
            'request_id'
          ],
          good,
        )
      for (const bad of ['', 'a b', 'x'.repeat(65), 'é', '"'])
        assert.notEqual(
          (await get(`${CATALOG_PATH}/people/${ids.person}`, full, { 'x-request-id': bad })).body[
            'request_id'
          ],
          bad,
        )
    })

    it('has an ETag computed only from `data`, and becomes a 304 without a body if the ETag matches', async () => {
      const first = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`)
      const second = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`)
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]+"$/)
      assert.equal(second.headers.get('etag'), etag)
      assert.notEqual(first.body['request_id'], second.body['request_id'])
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const repeated = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`, full, {
          'if-none-match': sent,
        })
        assert.equal(repeated.status, 304, sent)
        assert.equal(repeated.text, '')
        assert.equal(repeated.headers.get('etag'), etag)
        assert.ok(repeated.headers.get('x-ratelimit-remaining'))
      }
      assert.equal(
        (await get(`${CATALOG_PATH}/galgames/${ids.clannad}`, full, { 'if-none-match': '"other"' }))
          .status,
        200,
      )
    })

    it('has a new ETag within a second of a change to the entry', async () => {
      const path = `${CATALOG_PATH}/people/${ids.person}`
      const before = (await get(path)).headers.get('etag')
      await service.db.transaction().execute(async (trx) => {
        await sql`update people set trans_intro = ${`changed ${Date.now()}`} where id = ${ids.person}`.execute(
          trx,
        )
        await signal(trx, 'catalog')
      })
      const deadline = Date.now() + 10_000
      while ((await get(path)).headers.get('etag') === before)
        assert.ok(Date.now() < deadline, 'the old response is still cached')
    })

    it('allows requests from any origin, and private caching for one minute', async () => {
      const { headers } = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`, full, {
        origin: 'https://app.example',
      })
      assert.equal(headers.get('cache-control'), 'private, max-age=60')
      assert.equal(headers.get('vary'), 'Authorization, Accept-Encoding')
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.equal(headers.get('access-control-allow-credentials'), null)
      for (const name of [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'RateLimit',
        'Retry-After',
        'Link',
        'ETag',
        'X-Request-Id',
      ])
        assert.ok(headers.get('access-control-expose-headers')?.split(', ').includes(name), name)
    })

    it('is identical, with the same ETag, under both path prefixes', async () => {
      for (const path of [
        `/galgames/${ids.clannad}`,
        `/light-novels/${ids.novel}/volumes?page=1`,
        `/characters/${ids.character}`,
      ]) {
        const [open, short] = [await get(CATALOG_PATH + path), await get(`/v3${path}`)]
        assert.deepEqual(short.data, open.data)
        assert.equal(short.headers.get('etag'), open.headers.get('etag'))
      }
    })

    it('has the headers of GET but no body for HEAD', async () => {
      const path = `${CATALOG_PATH}/galgames/${ids.clannad}`
      const head = await fetch(service.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${full}` },
      })
      const { headers } = await get(path)
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      for (const name of ['etag', 'content-type', 'cache-control'])
        assert.equal(head.headers.get(name), headers.get(name))
    })
  })

  describe('paging', () => {
    const path = () => `${CATALOG_PATH}/galgames/${ids.clannad}/characters`

    it('returns the whole list if neither `page` nor `page_size` is sent, and a page otherwise', async () => {
      const { data: whole } = await get(path())
      assert.ok(whole.length > 3)
      assert.deepEqual((await get(`${path()}?page=1&page_size=2`)).data, whole.slice(0, 2))
      assert.deepEqual((await get(`${path()}?page=2&page_size=2`)).data, whole.slice(2, 4))
      assert.deepEqual((await get(`${path()}?page_size=3`)).data, whole.slice(0, 3))
      assert.deepEqual((await get(`${path()}?page=1`)).data, whole.slice(0, 10))
      assert.deepEqual((await get(`${path()}?page=999999999`)).data, [])
      assert.equal(
        (await get(`${path()}?page=999999999`)).headers.get('x-total-count'),
        String(whole.length),
      )
    })

    it('links to the first, previous, next and last page, and keeps the filter and the path prefix in the links', async () => {
      const total = (await get(path())).data.length
      const last = Math.ceil(total / 2)
      const at = (page: number) => `<${service.url}${path()}?page=${page}&page_size=2>`
      assert.equal((await get(path())).headers.get('link'), null)
      assert.equal(
        (await get(`${path()}?page=1&page_size=2`)).headers.get('link'),
        `${at(1)}; rel="first", ${at(2)}; rel="next", ${at(last)}; rel="last"`,
      )
      const second = (await get(`${path()}?page=2&page_size=2`)).headers.get('link') ?? ''
      assert.ok(second.includes(`${at(1)}; rel="prev"`))
      const end = (await get(`${path()}?page=${last}&page_size=2`)).headers.get('link') ?? ''
      assert.ok(!end.includes('rel="next"'))
      const filtered =
        (await get(`/v3/galgames/${ids.clannad}/characters?role=MAIN&page_size=1`)).headers.get(
          'link',
        ) ?? ''
      assert.ok(
        filtered.includes(
          `<${service.url}/v3/galgames/${ids.clannad}/characters?role=MAIN&page_size=1&page=1>; rel="first"`,
        ),
      )
    })

    it('rejects out-of-range values and names each field', async () => {
      for (const query of [
        'page=0',
        'page=-1',
        'page=1.5',
        'page=x',
        'page_size=0',
        'page_size=101',
        'page_size=1e400',
        'page=1&page=2',
      ]) {
        const response = await get(`${path()}?${query}`)
        assert.equal(response.status, 422, query)
        assert.equal(response.fields[0], query.split('=')[0])
      }
      assert.equal((await get(`${path()}?page=9007199254740991`)).status, 200)
      const whole = (await get(path())).data
      for (const query of ['page=', 'page_size=', 'role=', 'page=&page_size=&role='])
        assert.deepEqual((await get(`${path()}?${query}`)).data, whole, query)
      const both = await get(`${path()}?page=0&page_size=0&role=X`)
      assert.deepEqual(both.fields.toSorted(), ['page', 'page_size', 'role'])
    })
  })

  describe('unsupported methods', () => {
    it('return 405 with the supported methods in Allow', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(`${service.url}${CATALOG_PATH}/galgames/${ids.clannad}`, {
          method,
          headers: { authorization: `Bearer ${full}` },
        })
        assert.equal(response.status, 405)
        assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
        assert.equal(
          ((await response.json()) as { error: Json }).error['code'],
          'COMMON_BAD_REQUEST',
        )
      }
    })

    it('do not include OPTIONS, so that a CORS preflight for requests with a token succeeds', async () => {
      for (const base of [CATALOG_PATH, '/v3']) {
        const response = await fetch(`${service.url}${base}/galgames/${ids.clannad}/staff`, {
          method: 'OPTIONS',
          headers: {
            origin: 'https://app.example',
            'access-control-request-method': 'GET',
            'access-control-request-headers': 'authorization',
          },
        })
        assert.equal(response.status, 204)
        assert.equal(response.headers.get('access-control-allow-origin'), '*')
        assert.match(response.headers.get('access-control-allow-headers') ?? '', /Authorization/)
        assert.match(response.headers.get('access-control-allow-methods') ?? '', /GET/)
      }
    })
  })

  it('have status 405 for an unsupported method and 404 for an unknown path, whatever the body contains', async () => {
    for (const [path, status] of [
      [`${CATALOG_PATH}/galgames/${ids.clannad}`, 405],
      ['/v3/nothing', 404],
    ] as const)
      for (const [type, body] of [
        ['text/plain', 'a'],
        ['application/json', '{'],
        ['application/json', 'x'.repeat(100_000)],
      ] as const) {
        const response = await fetch(service.url + path, {
          method: 'POST',
          body,
          headers: { 'content-type': type },
        })
        await response.arrayBuffer()
        assert.equal(response.status, status, `${path} with ${type}`)
      }
  })

  it('have status 400 for a path with invalid percent-encoding', async () => {
    const response = await service.get(`${CATALOG_PATH}/galgames/%zz`, full)
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: Json }).error['code'], 'COMMON_BAD_REQUEST')
  })
})
