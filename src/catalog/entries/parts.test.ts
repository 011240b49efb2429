import assert from 'node:assert/strict'
import { after, before, it, mock } from 'node:test'
import { sql } from 'kysely'
import { eventually } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { sendApiRequest, type AnyJson } from '#test/user-api.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { ENTRY_KINDS, isWorkKind, KINDS, WORK_KINDS } from '../kinds.ts'
import { WORK_LISTS } from '../lists/work-lists.ts'
import { ENTRIES } from './entries.ts'

describeOnDatabase('a request for entries with include or fields', (engine) => {
  let service: TestService
  let full: string
  let limited: string
  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    limited = await service.token('catalog:read')
  })
  after(() => service.close())

  /** Sends a request whose response is validated against the document. */
  const get = (path: string, token = full) => sendApiRequest(service.url, { path, token })
  /** Sends a request whose response may lack required fields. */
  const getText = async (path: string, token = full) => {
    const response = await service.get(path, token)
    const text = await response.text()
    // as: every response of the API is an envelope
    const body = JSON.parse(text) as { data: AnyJson; error: AnyJson }
    return { status: response.status, etag: response.headers.get('etag'), ...body }
  }
  const idsOf = async (table: string) => {
    const { rows } = await sql<{ id: number }>`
      select id from ${sql.table(table)} order by id limit 5`.execute(service.db)
    return rows.map(({ id }) => id)
  }
  /** Returns the number of statements that read works or their lists. */
  const readsDuring = async (work: () => Promise<unknown>) => {
    const statements = mock.method(service.db, 'executeQuery')
    try {
      await work()
      return statements.mock.calls.filter(
        ({ arguments: [query] }) => 'sql' in query && /from (shown_)?works work/.test(query.sql),
      ).length
    } finally {
      statements.mock.restore()
    }
  }
  /** Waits until the service has cleared its cache after a change. */
  const clear = async () => {
    await getText('/v3/galgames/2')
    await signal(service.db, 'catalog')
    await eventually(async () => (await readsDuring(() => getText('/v3/galgames/2'))) > 0)
  }

  for (const kind of WORK_KINDS) {
    const { path, table } = KINDS[kind]
    const parts = Object.keys(WORK_LISTS[kind])

    it(`adds the first page of each part, and its total, to ${path}`, async () => {
      for (const id of await idsOf(table)) {
        const { data } = await get(`/v3/${path}/${id}?include=${parts.join(',')}`)
        const { included, ...detail } = data
        assert.deepEqual(detail, (await get(`/v3/${path}/${id}`)).data)
        assert.deepEqual(Object.keys(included), parts)
        for (const part of parts) {
          const page = await get(`/v3/${path}/${id}/${part}?page=1`)
          const total = Number(page.headers.get('x-total-count'))
          assert.deepEqual(included[part].items, page.data, part)
          assert.deepEqual(included[part].meta, {
            page: 1,
            page_size: 10,
            item_count: page.data.length,
            total_items: total,
            total_pages: Math.ceil(total / 10),
          })
        }
      }
    })

    it(`returns the same for several ${path}, and for each family of paths`, async () => {
      const ids = await idsOf(table)
      const query = `include=${parts.slice(0, 2).join(',')}&fields=id,nsfw`
      const batch = await getText(`/v3/${path}?ids=${ids.join(',')}&${query}`)
      assert.equal(batch.data.items.length, ids.length)
      for (const [index, id] of ids.entries()) {
        const one = await getText(`/api/v3/open/${path}/${id}?${query}`)
        assert.deepEqual(batch.data.items[index], one.data)
        assert.deepEqual(Object.keys(one.data), ['id', 'nsfw', 'included'])
      }
    })
  }

  for (const kind of ENTRY_KINDS)
    it(`returns only the requested fields of ${KINDS[kind].path}`, async () => {
      const { path, table } = KINDS[kind]
      const [id = 0] = await idsOf(table)
      const whole = await get(`/v3/${path}/${id}`)
      const { fields } = ENTRIES[kind].selectable
      assert.deepEqual(new Set(Object.keys(whole.data)), fields)
      for (const name of fields) {
        const { data } = await getText(`/v3/${path}/${id}?fields=${name}`)
        assert.deepEqual(data, { [name]: whole.data[name] })
      }
      const all = await getText(`/v3/${path}/${id}?fields=${[...fields].toReversed().join(',')}`)
      assert.equal(JSON.stringify(all.data), JSON.stringify(whole.data))
      // Empty parameters and unknown ones change nothing, not even the ETag.
      for (const query of ['include=', 'fields=', 'color=red', 'include=&fields='])
        assert.equal((await getText(`/v3/${path}/${id}?${query}`)).etag, whole.headers.get('etag'))
    })

  it('ignores order and repetition, also for the ETag and the cache', async () => {
    const url = '/v3/galgames/1'
    const one = await getText(`${url}?include=staff,characters&fields=id,nsfw`)
    let reads = 0
    for (const query of [
      'include=characters,staff,staff&fields=nsfw,id,id',
      'fields=nsfw&include=characters&fields=id&include=staff',
      'include=characters%2Cstaff&fields=%2C,id,nsfw,',
    ]) {
      let other = one
      reads += await readsDuring(async () => (other = await getText(`${url}?${query}`)))
      assert.deepEqual([other.data, other.etag], [one.data, one.etag], query)
    }
    assert.equal(reads, 0)
    const { status } = await service.get(`${url}?include=staff,characters&fields=id,nsfw`, full, {
      'if-none-match': one.etag ?? '',
    })
    assert.equal(status, 304)
    assert.notEqual((await getText(`${url}?include=staff&fields=id,nsfw`)).etag, one.etag)
  })

  it('is read with one statement if nothing is cached, and shares the cache of details and lists', async () => {
    for (const kind of WORK_KINDS) {
      const { path, table } = KINDS[kind]
      const parts = Object.keys(WORK_LISTS[kind])
      const include = `include=${parts.join(',')}`
      const [first = 0, ...others] = (await idsOf(table)).toReversed()
      const [part = ''] = parts
      await clear()
      const get = (rest: string) => () => getText(`/v3/${path}${rest}`)
      assert.equal(await readsDuring(get(`/${first}?${include}`)), 1, path)
      for (const rest of [`/${first}?${include}`, `/${first}`, `/${first}/${part}?page=1`])
        assert.equal(await readsDuring(get(rest)), 0, rest)
      assert.equal(await readsDuring(get(`?ids=${others.join(',')}&${include}`)), 1, path)
      assert.equal(await readsDuring(get(`?ids=${others.join(',')}`)), 0, path)
    }
  })

  it('follows changes of entries and parts', async () => {
    const path = '/v3/galgames/1?include=staff&fields=id,trans_title'
    const before = await getText(path)
    await service.db.transaction().execute(async (trx) => {
      await sql`update galgames set trans_title = 'Other' where id = 1`.execute(trx)
      await sql`delete from galgame_staff where galgame_id = 1`.execute(trx)
      await signal(trx, 'catalog')
    })
    await eventually(async () => (await getText(path)).etag !== before.etag)
    const { data } = await getText(path)
    assert.equal(data.trans_title, 'Other')
    assert.deepEqual([data.included.staff.items, data.included.staff.meta.total_items], [[], 0])
  })

  it('rejects unknown names with an error that lists them or the allowed ones', async () => {
    const messageOf = async (path: string) => {
      const { status, error } = await getText(path)
      assert.equal(status, 422, path)
      return JSON.stringify(error.field_errors)
    }
    for (const base of ['/v3/galgames/1?', '/v3/galgames?ids=1&']) {
      for (const name of ['volumes', 'id', '__proto__', 'constructor', 'toString', 'STAFF'])
        assert.match(await messageOf(`${base}include=staff,${name}`), /staff, .*characters/)
      for (const name of ['cover', '__proto__', 'constructor', 'hasOwnProperty', 'included'])
        assert.match(await messageOf(`${base}fields=id,${name}`), new RegExp(`\\\\"${name}\\\\"`))
      const many = Array.from({ length: 1_000 }, () => 'staff').join(',')
      assert.match(await messageOf(`${base}include=${many}`), /100/)
      assert.match(await messageOf(`${base}fields=${many}`), /100/)
    }
    for (const kind of ENTRY_KINDS.filter((each) => !isWorkKind(each)))
      assert.match(await messageOf(`/v3/${KINDS[kind].path}/1?include=staff`), /have no lists/)
    const ids = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join(',')
    assert.match(await messageOf(`/v3/galgames?ids=${ids(26)}&include=staff`), /25/)
    assert.equal((await getText(`/v3/galgames?ids=${ids(25)}&include=staff`)).status, 200)
  })

  it('hides adult works in every part, even if they are cached for other callers', async () => {
    const { rows } = await sql<{ id: number }>`
      select relation.galgame_id as id
      from galgame_relations relation
      join works work on work.id = relation.galgame_id and not work.nsfw
      join works other on other.id = relation.related_galgame_id and other.nsfw
      limit 1`.execute(service.db)
    const [related] = rows
    const path = related && `/v3/galgames/${related.id}?include=relations`
    const adult = await service.db
      .selectFrom('works')
      .select('id')
      .where('nsfw', '=', true)
      .where('kind', '=', 'galgame')
      .executeTakeFirstOrThrow()
    for (const order of [
      [full, limited],
      [limited, full],
    ]) {
      await clear()
      for (const token of order) {
        const isFull = token === full
        const { status } = await getText(`/v3/galgames/${adult.id}?include=staff`, token)
        assert.equal(status, isFull ? 200 : 404)
        assert.equal(
          (await getText(`/v3/galgames/${adult.id}?fields=id`, token)).status,
          isFull ? 200 : 404,
        )
        if (path === undefined) continue
        const { included } = (await getText(path, token)).data
        const list = await getText(`/v3/galgames/${related?.id}/relations?page=1`, token)
        assert.deepEqual(included.relations.items, list.data)
        assert.equal(JSON.stringify(included).includes('"nsfw":true'), isFull)
      }
    }
  })
})
