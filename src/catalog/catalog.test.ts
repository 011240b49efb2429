import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { onEachDatabase } from '#test/databases.ts'
import { answerValidator, documentedPath } from '#test/openapi.ts'
import { startService, type TestService } from '#test/service.ts'
import { signal } from '../db/signals.ts'

const BASE = '/api/v3/open'
type Json = Record<string, unknown>
type Answer = { status: number; headers: Headers; body: Json; data: Json & Json[] }

onEachDatabase('the catalog', (engine) => {
  let service: TestService
  let full: string
  let reader: string
  /** Ids of the sample's entries, by what makes them interesting. */
  let ids: Record<'clannad' | 'nsfwGalgame' | 'novel' | 'manga' | 'person' | 'producer' | 'character', number>
  const problems = answerValidator()

  /** Every answer is checked against the document on its way. */
  async function get(path: string, token = full, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await service.get(path, token, headers)
    const text = await response.text()
    const body = (text === '' ? {} : JSON.parse(text)) as Json
    if (response.status !== 304 && path.startsWith(BASE))
      assert.equal(problems(documentedPath(path), response.status, body), '')
    return { status: response.status, headers: response.headers, body, data: body['data'] as Json & Json[] }
  }

  const errorOf = ({ body }: Answer) =>
    body['error'] as { code: string; message: string; details?: Json; field_errors?: { field: string }[] }

  /** Several at a time, which the batch loader makes one statement of. */
  const atOnce = <Item>(items: Item[], look: (item: Item) => Promise<void>) =>
    Readable.from(items).forEach(look, { concurrency: 30 })

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    reader = await service.token('catalog:read')
    const { rows } = await sql<typeof ids>`
      select
        (select entry_id from source_records where source = 'vndb' and kind = 'galgame' and external_id = 'v4') as clannad,
        (select min(id) from works where kind = 'galgame' and nsfw) as "nsfwGalgame",
        (select light_novel_id from light_novel_volumes group by 1 order by count(volume_number) desc, 1 limit 1) as novel,
        (select manga_id from manga_volumes group by 1 order by count(*) desc, 1 limit 1) as manga,
        (select min(id) from people where image is not null) as person,
        (select min(producer_id) from galgame_producers) as producer,
        (select min(id) from characters where height is not null) as character`.execute(service.db)
    const [row] = rows
    assert.ok(row)
    ids = row
    await sql`
      update light_novel_volumes set volume_number = null
      where id = (select min(id) from light_novel_volumes where light_novel_id = ${ids.novel})`.execute(
      service.db,
    )
  })
  after(() => service.close())

  describe('an answer', () => {
    it('is the envelope of §2.1, its request id also in the header', async () => {
      const { status, headers, body } = await get(`${BASE}/galgames/${ids.clannad}`)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['success', 'data', 'request_id', 'timestamp'])
      assert.equal(body['success'], true)
      assert.equal(body['request_id'], headers.get('x-request-id'))
      assert.match(String(body['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    })

    it('keeps a good request id of the caller and replaces a bad one', async () => {
      for (const good of ['a', 'Abc-1._', 'x'.repeat(64)])
        assert.equal(
          (await get(`${BASE}/people/${ids.person}`, full, { 'x-request-id': good })).body['request_id'],
          good,
        )
      for (const bad of ['', 'a b', 'x'.repeat(65), 'é', '"'])
        assert.notEqual(
          (await get(`${BASE}/people/${ids.person}`, full, { 'x-request-id': bad })).body['request_id'],
          bad,
        )
    })

    it('has an ETag over data alone, and If-None-Match gets 304 without a body', async () => {
      const first = await get(`${BASE}/galgames/${ids.clannad}`)
      const second = await get(`${BASE}/galgames/${ids.clannad}`)
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]+"$/)
      assert.equal(second.headers.get('etag'), etag)
      assert.notEqual(first.body['request_id'], second.body['request_id'])
      for (const sent of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const again = await get(`${BASE}/galgames/${ids.clannad}`, full, { 'if-none-match': sent })
        assert.equal(again.status, 304, sent)
        assert.deepEqual(again.body, {})
        assert.equal(again.headers.get('etag'), etag)
        assert.ok(again.headers.get('x-ratelimit-remaining'))
      }
      assert.equal(
        (await get(`${BASE}/galgames/${ids.clannad}`, full, { 'if-none-match': '"other"' })).status,
        200,
      )
    })

    it('changes its ETag when the entry changes, in this process within a second', async () => {
      const path = `${BASE}/people/${ids.person}`
      const before = (await get(path)).headers.get('etag')
      await service.db.transaction().execute(async (trx) => {
        await sql`update people set trans_intro = ${`changed ${Date.now()}`} where id = ${ids.person}`.execute(
          trx,
        )
        await signal(trx, 'catalog')
      })
      const deadline = Date.now() + 10_000
      while ((await get(path)).headers.get('etag') === before)
        assert.ok(Date.now() < deadline, 'the old answer is still kept')
    })

    it('may be kept by the client for a minute, for this token only, and read from any origin', async () => {
      const { headers } = await get(`${BASE}/galgames/${ids.clannad}`, full, {
        origin: 'https://app.example',
      })
      assert.equal(headers.get('cache-control'), 'private, max-age=60')
      assert.equal(headers.get('vary'), 'Authorization')
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

    it('is the same on both families of paths, under one ETag', async () => {
      for (const path of [
        `/galgames/${ids.clannad}`,
        `/light-novels/${ids.novel}/volumes?page=1`,
        `/characters/${ids.character}`,
      ]) {
        const [open, short] = [await get(BASE + path), await get(`/v3${path}`)]
        assert.deepEqual(short.data, open.data)
        assert.equal(short.headers.get('etag'), open.headers.get('etag'))
      }
    })

    it('to HEAD has the headers of GET and no body', async () => {
      const path = `${BASE}/galgames/${ids.clannad}`
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

  describe('every endpoint', () => {
    it('shows real content of the sample, in the shape of the document', async () => {
      const lists = {
        galgames: ['staff', 'characters', 'producers', 'developers', 'relations'],
        'light-novels': ['volumes', 'people', 'producers', 'characters'],
        mangas: ['volumes', 'people', 'producers', 'characters'],
      }
      const kinds = { galgames: 'galgame', 'light-novels': 'light_novel', mangas: 'manga' }
      for (const [path, names] of Object.entries(lists)) {
        const { rows } = await sql<{
          id: number
        }>`select id from works where kind = ${kinds[path as keyof typeof kinds]} order by id`.execute(
          service.db,
        )
        const filled = new Set<string>()
        await atOnce(rows, async ({ id }) => {
          const { status, data } = await get(`${BASE}/${path}/${id}`)
          assert.equal(status, 200)
          assert.equal(data['id'], id)
          for (const name of names) {
            const list = await get(`${BASE}/${path}/${id}/${name}`)
            assert.equal(list.status, 200)
            assert.equal(list.headers.get('x-total-count'), String(list.data.length))
            if (list.data.length > 0) filled.add(name)
          }
        })
        assert.deepEqual(
          names.filter((name) => !filled.has(name)),
          [],
          `${path} without content`,
        )
      }
      for (const [path, table] of [
        ['people', 'people'],
        ['producers', 'producers'],
        ['characters', 'characters'],
      ] as const) {
        const { rows } = await sql<{ id: number }>`select id from ${sql.table(table)} order by id`.execute(
          service.db,
        )
        assert.ok(rows.length > 5)
        await atOnce(rows, async ({ id }) =>
          assert.equal((await get(`${BASE}/${path}/${id}`)).data['id'], id),
        )
      }
    })

    it('gives a galgame the fields of §2.3, and tags and rating', async () => {
      const { data } = await get(`${BASE}/galgames/${ids.clannad}`)
      assert.equal(data['origin_title'], 'CLANNAD')
      assert.equal(data['release_date'], '2004-04-28T00:00:00.000Z')
      assert.equal(data['release_date_tbd'], false)
      assert.equal(data['dev_status'], 'RELEASED')
      assert.equal(data['nsfw'], false)
      assert.ok((data['prices'] as Json[]).length > 0, 'prices are where Bangumi has them')
      assert.ok((data['covers'] as Json[]).length > 0)
      assert.ok((data['tags'] as Json[]).length > 0)
      assert.deepEqual(data['rating'], {
        score: 0,
        total: 0,
        count: Object.fromEntries(Array.from({ length: 10 }, (_, score) => [score + 1, 0])),
      })
    })

    it('lists the cast in billing order, each with its voice actors', async () => {
      const { data } = await get(`${BASE}/galgames/${ids.clannad}/characters`)
      const nagisa = data.find(({ character }) => (character as Json)['name'] === '古河渚')
      assert.equal(nagisa?.['role'], 'MAIN')
      assert.deepEqual(
        (nagisa['actors'] as Json[]).map(({ name }) => name),
        ['中原麻衣'],
      )
    })

    it('names an unknown value of a filter, and filters by a known one', async () => {
      const all = await get(`${BASE}/galgames/${ids.clannad}/staff`)
      const scenario = await get(`${BASE}/galgames/${ids.clannad}/staff?role=SCENARIO`)
      assert.ok(scenario.data.length > 0 && scenario.data.length < all.data.length)
      assert.ok(scenario.data.every(({ role }) => role === 'SCENARIO'))
      assert.deepEqual(
        scenario.data,
        all.data.filter(({ role }) => role === 'SCENARIO'),
      )
      for (const path of [
        `galgames/${ids.clannad}/staff?role=scenario`,
        `galgames/${ids.clannad}/staff?role=`,
        `galgames/${ids.clannad}/characters?role=PRIMARY`,
        `galgames/${ids.clannad}/producers?role=BUNKO`,
        `light-novels/${ids.novel}/volumes?sort=name`,
        `light-novels/${ids.novel}/people?relation=AUTHOR`,
        `light-novels/${ids.novel}/producers?relation=label`,
        `light-novels/${ids.novel}/characters?role=X`,
        `mangas/${ids.manga}/characters?role=main`,
      ]) {
        const answer = await get(`${BASE}/${path}`)
        assert.equal(answer.status, 422, path)
        assert.equal(errorOf(answer).code, 'COMMON_VALIDATION_FAILED')
        assert.equal(errorOf(answer).field_errors?.[0]?.field, /\?(\w+)=/.exec(path)?.[1])
      }
    })

    it('ignores a query parameter it does not know', async () => {
      const { data } = await get(`${BASE}/mangas/${ids.manga}/volumes`)
      assert.deepEqual((await get(`${BASE}/mangas/${ids.manga}/volumes?colour=red&role=X`)).data, data)
    })

    it('orders volumes by number, those without one last, and the latest first when asked', async () => {
      const { data } = await get(`${BASE}/light-novels/${ids.novel}/volumes`)
      const numbers = data.map(({ volume_number }) => volume_number as number | null)
      assert.ok(new Set(numbers).size > 2 && numbers.includes(null))
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity)),
      )
      assert.deepEqual((await get(`${BASE}/light-novels/${ids.novel}/volumes?sort=volume_number`)).data, data)
      const dates = (await get(`${BASE}/light-novels/${ids.novel}/volumes?sort=recent`)).data.map(
        ({ publication_date }) => JSON.stringify(publication_date ?? ''),
      )
      assert.deepEqual(dates, dates.toSorted().toReversed())
    })
  })

  describe('paging', () => {
    const path = () => `${BASE}/galgames/${ids.clannad}/characters`

    it('gives the whole list without parameters, and slices of it with either', async () => {
      const { data: whole } = await get(path())
      assert.ok(whole.length > 3)
      assert.deepEqual((await get(`${path()}?page=1&page_size=2`)).data, whole.slice(0, 2))
      assert.deepEqual((await get(`${path()}?page=2&page_size=2`)).data, whole.slice(2, 4))
      assert.deepEqual((await get(`${path()}?page_size=3`)).data, whole.slice(0, 3))
      assert.deepEqual((await get(`${path()}?page=1`)).data, whole.slice(0, 10))
      assert.deepEqual((await get(`${path()}?page=999999999`)).data, [])
      assert.equal((await get(`${path()}?page=999999999`)).headers.get('x-total-count'), String(whole.length))
    })

    it('links the first, previous, next and last page, with the filter and the family asked for', async () => {
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
        (await get(`/v3/galgames/${ids.clannad}/characters?role=MAIN&page_size=1`)).headers.get('link') ?? ''
      assert.ok(
        filtered.includes(
          `<${service.url}/v3/galgames/${ids.clannad}/characters?role=MAIN&page_size=1&page=1>; rel="first"`,
        ),
      )
    })

    it('refuses what is out of range, naming each field', async () => {
      for (const query of [
        'page=0',
        'page=-1',
        'page=1.5',
        'page=x',
        'page=',
        'page_size=0',
        'page_size=101',
        'page_size=1e400',
        'page=1&page=2',
      ]) {
        const answer = await get(`${path()}?${query}`)
        assert.equal(answer.status, 422, query)
        assert.equal(errorOf(answer).field_errors?.[0]?.field, query.split('=')[0])
      }
      assert.equal((await get(`${path()}?page=9007199254740991`)).status, 200)
      const both = await get(`${path()}?page=0&page_size=0&role=X`)
      assert.deepEqual(
        errorOf(both)
          .field_errors?.map(({ field }) => field)
          .toSorted(),
        ['page', 'page_size', 'role'],
      )
    })
  })

  describe('what is not there', () => {
    it('is 404 for every id that is not a positive integer, and never more', async () => {
      for (const id of [
        'abc',
        '1.5',
        '-1',
        '0',
        '01',
        '1e3',
        '0x10',
        '+1',
        '9007199254740992',
        '99999999999999999999',
        '%20',
        '1%00',
        '%F0%9F%98%80',
        '१',
        'x'.repeat(3_000),
      ])
        for (const kind of ['galgames', 'light-novels', 'mangas', 'people', 'producers', 'characters']) {
          const answer = await get(`/v3/${kind}/${id}`)
          assert.equal(answer.status, 404, `${kind}/${id}`)
          assert.equal(errorOf(answer).code, 'COMMON_NOT_FOUND')
        }
      assert.equal((await get(`${BASE}/galgames/9007199254740991`)).status, 404)
      assert.equal((await get(`${BASE}/galgames/9007199254740991/staff`)).status, 404)
    })

    it('is a work of another kind', async () => {
      assert.equal((await get(`${BASE}/mangas/${ids.clannad}`)).status, 404)
      assert.equal((await get(`${BASE}/mangas/${ids.clannad}/volumes`)).status, 404)
      assert.equal((await get(`${BASE}/galgames/${ids.novel}`)).status, 404)
    })

    it('is an nsfw work and all its lists, for catalog:read; catalog:full sees them', async () => {
      for (const list of ['', '/staff', '/characters', '/producers', '/developers', '/relations']) {
        const path = `${BASE}/galgames/${ids.nsfwGalgame}${list}`
        // First the one who may see it, so that the answer is kept.
        assert.equal((await get(path, full)).status, 200)
        const hidden = await get(path, reader)
        assert.equal(hidden.status, 404)
        const missing = await get(`${BASE}/galgames/123456789${list}`, reader)
        assert.deepEqual(errorOf(hidden), errorOf(missing))
        assert.equal(hidden.headers.get('etag'), null)
        const etag = (await get(path, full)).headers.get('etag') ?? ''
        assert.equal((await get(path, reader, { 'if-none-match': etag })).status, 404)
      }
    })

    it('is an nsfw galgame among the relations, for catalog:read', async () => {
      const { rows } = await sql<{ id: number }>`
        select link.galgame_id as id from galgame_relations link
        join works work on work.id = link.galgame_id and not work.nsfw
        join works related on related.id = link.related_galgame_id and related.nsfw limit 1`.execute(
        service.db,
      )
      let id = rows[0]?.id
      if (id === undefined) {
        id = ids.clannad
        await sql`insert into galgame_relations values (${id}, 1000, ${ids.nsfwGalgame}, 'SAME_SETTING')`.execute(
          service.db,
        )
      }
      const all = await get(`${BASE}/galgames/${id}/relations`, full)
      const shown = await get(`${BASE}/galgames/${id}/relations`, reader)
      assert.ok(shown.data.length < all.data.length)
      assert.equal(shown.headers.get('x-total-count'), String(shown.data.length))
      assert.deepEqual(
        shown.data,
        all.data.filter((entry) =>
          shown.data.some(({ galgame }) => (galgame as Json)['id'] === (entry['galgame'] as Json)['id']),
        ),
      )
    })

    it('is an entry that was merged, and the answer says into which', async () => {
      await sql`insert into merged_entries (kind, id, merged_into) values
        ('galgame', 800001, ${ids.clannad}), ('galgame', 800002, ${ids.nsfwGalgame}), ('person', 800003, ${ids.person})`.execute(
        service.db,
      )
      for (const [path, target] of [
        ['galgames/800001', ids.clannad],
        ['galgames/800001/staff', ids.clannad],
        ['people/800003', ids.person],
      ] as const) {
        const answer = await get(`${BASE}/${path}`, reader)
        assert.equal(answer.status, 404)
        assert.equal(errorOf(answer).code, 'WIKI_RESOURCE_MERGED')
        assert.deepEqual(errorOf(answer).details, { merged_into: target })
      }
      assert.equal(errorOf(await get(`${BASE}/galgames/800002`, reader)).code, 'COMMON_NOT_FOUND')
      assert.equal(errorOf(await get(`${BASE}/galgames/800002`, full)).code, 'WIKI_RESOURCE_MERGED')
      assert.equal(errorOf(await get(`${BASE}/characters/800003`, full)).code, 'COMMON_NOT_FOUND')
    })

    it('is an address nobody knows, with the envelope', async () => {
      for (const path of ['/', '/api', `${BASE}/`, `${BASE}/galgames/1/nothing`, '/v4/galgames/1']) {
        const response = await service.get(path, full)
        const body = (await response.json()) as Json
        assert.equal(response.status, 404, path)
        assert.equal((body['error'] as Json)['code'], 'COMMON_NOT_FOUND')
        assert.equal(body['success'], false)
        assert.ok(!('data' in body))
      }
    })
  })

  describe('other methods', () => {
    it('get 405 and are told which ones there are', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await fetch(`${service.url}${BASE}/galgames/${ids.clannad}`, {
          method,
          headers: { authorization: `Bearer ${full}` },
        })
        assert.equal(response.status, 405)
        assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
        assert.equal(((await response.json()) as { error: Json }).error['code'], 'COMMON_BAD_REQUEST')
      }
    })

    it('answer a browser that asks whether it may send a token', async () => {
      for (const base of [BASE, '/v3']) {
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

  it('refuses a method or an address before it looks at a body', async () => {
    for (const [path, status] of [
      [`${BASE}/galgames/${ids.clannad}`, 405],
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

  it('answers a wrongly encoded address with 400', async () => {
    const response = await service.get(`${BASE}/galgames/%zz`, full)
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: Json }).error['code'], 'COMMON_BAD_REQUEST')
  })

  it('writes the fields in the order of the specification', async () => {
    const { data } = await get(`${BASE}/characters/${ids.character}`)
    assert.deepEqual(Object.keys(data).slice(0, 4), ['id', 'name', 'trans_name', 'aliases'])
  })
})
