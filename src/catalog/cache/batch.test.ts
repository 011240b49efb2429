import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { KINDS } from '../kinds.ts'

const BASE = '/api/v3/open'
type Entry = { id: number; name?: string }
type Batch = { items: Entry[]; missing: number[]; merged: { id: number; merged_into: number }[] }

describeOnDatabase('a batch of entries requested by id', (engine) => {
  let service: TestService
  let full: string
  let limited: string

  const get = (path: string, token = full, headers: Record<string, string> = {}) =>
    sendApiRequest<Batch>(service.url, { path, token, headers })

  const idsOf = async (table: string, nsfw = false) => {
    const { rows } = await sql<{ id: number }>`
      select resource_id as id from catalog_entries
      where resource_type = ${table} and nsfw = ${nsfw} order by resource_id`.execute(service.db)
    return rows.map(({ id }) => id)
  }

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    limited = await service.token('catalog:read')
  })
  after(() => service.close())

  for (const { path, table } of Object.values(KINDS))
    it(`returns the same details for ${path} as single requests, under both path prefixes`, async () => {
      const { rows } = await sql<{ id: number }>`
        select id from ${sql.table(table)} order by id desc limit 5`.execute(service.db)
      const ids = rows.map(({ id }) => id)
      assert.equal(ids.length, 5)
      const { status, data, headers } = await get(`${BASE}/${path}?ids=${ids.join(',')}`)
      assert.equal(status, 200)
      const single = await Promise.all(
        // as: the response of a detail
        ids.map(async (id) => (await get(`/v3/${path}/${id}`)).data as unknown as Entry),
      )
      assert.deepEqual(data, { items: single, missing: [], merged: [] })
      const short = await get(`/v3/${path}?ids=${ids.join(',')}`)
      assert.deepEqual(short.data, data)
      assert.equal(short.headers.get('etag'), headers.get('etag'))
    })

  it('returns each id once in the requested order, whether ids are separated by commas or sent as several parameters', async () => {
    const [a = 0, b = 0, c = 0] = await idsOf('person')
    for (const query of [
      `ids=${c},${a},${c},${b},${a}`,
      `ids=${c}&ids=${a}&ids=${c}&ids=${b}`,
      `ids=${c},${a}&ids=${b},${c}`,
      `ids=${c}%2C${a}%2C${b}&color=red`,
    ]) {
      const { data } = await get(`${BASE}/people?${query}`)
      assert.deepEqual(
        data.items.map(({ id }) => id),
        [c, a, b],
        query,
      )
    }
  })

  it('accepts 100 ids', async () => {
    const ids = (await idsOf('person')).slice(0, 100)
    assert.equal(ids.length, 100)
    const { data } = await get(`${BASE}/people?ids=${ids.join(',')}`)
    assert.deepEqual(
      data.items.map(({ id }) => id),
      ids,
    )
  })

  it('rejects more than 100 ids, including repeated ones', async () => {
    for (const ids of [Array.from({ length: 101 }, (_, index) => index + 1), Array(101).fill(1)]) {
      const { status, code, fields, error } = await get(`${BASE}/people?ids=${ids.join(',')}`)
      assert.equal(status, 422)
      assert.equal(code, 'COMMON_VALIDATION_FAILED')
      assert.deepEqual(fields, ['ids'])
      assert.match(error.field_errors[0].message, /100.*101/)
    }
  })

  it('rejects an invalid id, naming it, and an empty list', async () => {
    for (const [query, named] of [
      ['?ids=&page=1', 'at least one ID'],
      ['?ids=', 'at least one ID'],
      ['?ids', 'at least one ID'],
      ['?ids=,', 'at least one ID'],
      ['?ids=1,,2', '""'],
      ['?ids=1,', '""'],
      ['?ids=1&ids=', '""'],
      ['?ids=abc', '"abc"'],
      ['?ids=1,abc', '"abc"'],
      ['?ids=1e3', '"1e3"'],
      ['?ids=0', '"0"'],
      ['?ids=-1', '"-1"'],
      ['?ids=%2B1', '"+1"'],
      ['?ids=01', '"01"'],
      ['?ids=0x1', '"0x1"'],
      ['?ids=1.0', '"1.0"'],
      ['?ids=1,%202', '" 2"'],
      ['?ids=9007199254740992', '"9007199254740992"'],
      ['?ids=99999999999999999999999', '"99999999999999999999999"'],
      ['?ids=%00', '"\\u0000"'],
      ['?ids=1%00', '"1\\u0000"'],
      ['?ids=%D9%A1', '"١"'],
      ['?ids=%zz', 'percent-encoded UTF-8'],
      [`?ids=${'9'.repeat(2_000)}`, '"9999'],
    ] as const)
      for (const { path } of Object.values(KINDS)) {
        const { status, error } = await get(`${BASE}/${path}${query}`)
        assert.equal(status, 422, query)
        assert.equal(error.code, 'COMMON_VALIDATION_FAILED')
        assert.equal(error.field_errors?.length, 1)
        assert.equal(error.field_errors[0]?.field, 'ids')
        assert.ok(error.field_errors[0]?.message.includes(named), `${query}: ${error.message}`)
      }
  })

  it('ignores other parameters if ids are sent, and returns a list otherwise', async () => {
    const [id = 0] = await idsOf('person')
    const { status, data } = await get(`${BASE}/people?ids=${id}&page=0&cursor=x&tag=y`)
    assert.equal(status, 200)
    assert.deepEqual(
      data.items.map((item) => item.id),
      [id],
    )
    for (const query of ['', '?page=1', '?ids[]=1'])
      assert.ok('next_cursor' in (await get(`${BASE}/people${query}`)).data, query)
  })

  it('reports missing and merged ids in the requested order', async () => {
    const [a = 0, b = 0] = await idsOf('person')
    await sql`insert into merged_entries (kind, id, merged_into) values
      ('person', 700001, ${b}), ('person', 700002, ${a}), ('producer', 700003, 1)`.execute(
      service.db,
    )
    const requested = [700_003, 700_002, b, 9_007_199_254_740_991, 700_001, a]
    const { status, data } = await get(`${BASE}/people?ids=${requested.join(',')}`)
    assert.equal(status, 200)
    assert.deepEqual(
      { ...data, items: data.items.map(({ id }) => id) },
      {
        items: [b, a],
        missing: [700_003, 9_007_199_254_740_991],
        merged: [
          { id: 700_002, merged_into: a },
          { id: 700_001, merged_into: b },
        ],
      },
    )
  })

  it('reports all ids as missing if none exists', async () => {
    const { data } = await get(`${BASE}/mangas?ids=900000002,900000001`)
    assert.deepEqual(data, { items: [], missing: [900_000_002, 900_000_001], merged: [] })
  })

  it('reports nsfw works, and entries merged into them, as missing without catalog:full', async () => {
    const [shown = 0] = await idsOf('galgame')
    const [hidden = 0] = await idsOf('galgame', true)
    await sql`insert into merged_entries (kind, id, merged_into) values ('galgame', 700004, ${hidden})`.execute(
      service.db,
    )
    const path = `${BASE}/galgames?ids=${hidden},${shown},700004,123456789`
    // The caller with access comes first, so that the responses are cached.
    const { data: whole, headers } = await get(path)
    assert.deepEqual(
      { ...whole, items: whole.items.map(({ id }) => id) },
      {
        items: [hidden, shown],
        missing: [123_456_789],
        merged: [{ id: 700_004, merged_into: hidden }],
      },
    )
    const { data, ...other } = await get(path, limited)
    assert.deepEqual(
      { ...data, items: data.items.map(({ id }) => id) },
      { items: [shown], missing: [hidden, 700_004, 123_456_789], merged: [] },
    )
    assert.notEqual(other.headers.get('etag'), headers.get('etag'))
    const etag = headers.get('etag') ?? ''
    assert.equal((await get(path, limited, { 'if-none-match': etag })).status, 200)
  })

  it('reports works of another kind as missing', async () => {
    const [novel = 0] = await idsOf('light_novel')
    const { data } = await get(`${BASE}/galgames?ids=${novel}`)
    assert.deepEqual(data, { items: [], missing: [novel], merged: [] })
  })

  describe('response', () => {
    it('has a strong ETag over `data`, may be cached privately for a minute, and supports 304', async () => {
      const path = `${BASE}/characters?ids=${(await idsOf('character')).slice(0, 3).join(',')}`
      const [first, second] = [await get(path), await get(path)]
      const etag = first.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]+"$/)
      assert.equal(second.headers.get('etag'), etag)
      assert.equal(first.headers.get('cache-control'), 'private, max-age=60')
      assert.equal(first.headers.get('vary'), 'Authorization, Accept-Encoding')
      assert.equal(first.headers.get('access-control-allow-origin'), '*')
      const repeated = await get(path, full, { 'if-none-match': etag })
      assert.equal(repeated.status, 304)
      assert.equal(repeated.headers.get('etag'), etag)
    })

    it('changes with its ETag within a second of a change to an entry', async () => {
      const [a = 0, b = 0] = await idsOf('character')
      const path = `${BASE}/characters?ids=${a},${b}`
      const { headers } = await get(path)
      const name = `改名 ${Date.now()}`
      await service.db.transaction().execute(async (trx) => {
        await sql`update characters set name = ${name} where id = ${b}`.execute(trx)
        await signal(trx, 'catalog')
      })
      const deadline = Date.now() + 10_000
      let now = await get(path)
      while (now.headers.get('etag') === headers.get('etag')) {
        assert.ok(Date.now() < deadline, 'the old response is still cached')
        now = await get(path)
      }
      assert.equal(now.data.items[1]?.name, name)
    })

    it('loads all uncached entries with one statement and cached ones with none', async () => {
      const ids = (await idsOf('producer')).slice(0, 100)
      await get(`${BASE}/producers/${ids[3]}`)
      const statements = mock.method(service.db, 'executeQuery')
      try {
        const requested = () =>
          statements.mock.calls.flatMap(({ arguments: [query] }) =>
            'sql' in query && query.sql.includes('from producers') ? [query.parameters[0]] : [],
          )
        const { data } = await get(`${BASE}/producers?ids=${ids.join(',')}`)
        assert.equal(data.items.length, ids.length)
        assert.deepEqual(requested(), [ids.toSpliced(3, 1)])
        await get(`${BASE}/producers?ids=${ids.toReversed().join(',')}`)
        await get(`${BASE}/producers/${ids[0]}`)
        assert.equal(requested().length, 1)
      } finally {
        statements.mock.restore()
      }
    })

    it('has the headers of GET but no body for HEAD', async () => {
      const path = `${BASE}/people?ids=1,2`
      const head = await fetch(service.url + path, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${full}` },
      })
      assert.equal(head.status, 200)
      assert.equal(await head.text(), '')
      assert.equal(head.headers.get('etag'), (await get(path)).headers.get('etag'))
    })
  })

  it('counts as one request toward the rate limit', async () => {
    const ids = (await idsOf('person')).slice(0, 100).join(',')
    const remaining = async () =>
      Number((await get(`${BASE}/people?ids=${ids}`, limited)).headers.get('x-ratelimit-remaining'))
    const before = await remaining()
    assert.ok(before > 0)
    assert.equal(await remaining(), before - 1)
  })

  it('requires a token with catalog:read', async () => {
    const sync = await service.token('catalog:sync')
    const refused = await get(`${BASE}/people?ids=1`, sync)
    assert.equal(refused.status, 403)
    assert.match(refused.error.message, /catalog:read/)
    assert.equal((await service.get(`${BASE}/people?ids=1`)).status, 401)
  })
})
