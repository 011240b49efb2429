import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { CATALOG_PATH, startCatalog, type CatalogService } from '#test/catalog-service.ts'
import { describeOnEachDatabase } from '#test/databases.ts'

type Json = Record<string, unknown>

describeOnEachDatabase('the catalog', (engine) => {
  let service: CatalogService['service']
  let full: CatalogService['full']
  let readToken: CatalogService['limited']
  let ids: CatalogService['ids']
  let get: CatalogService['get']

  /** Runs requests concurrently, so that the batch loader combines them into one statement. */
  const atOnce = <Item>(items: Item[], check: (item: Item) => Promise<void>) =>
    Readable.from(items).forEach(check, { concurrency: 30 })

  before(async () => {
    ;({ service, full, limited: readToken, ids, get } = await startCatalog(engine))
  })
  after(() => service.close())

  describe('endpoints', () => {
    it("return the sample's content in the documented shape", async () => {
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
          const { status, data } = await get(`${CATALOG_PATH}/${path}/${id}`)
          assert.equal(status, 200)
          assert.equal(data['id'], id)
          for (const name of names) {
            const list = await get(`${CATALOG_PATH}/${path}/${id}/${name}`)
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
        const { rows } = await sql<{
          id: number
        }>`select id from ${sql.table(table)} order by id`.execute(service.db)
        assert.ok(rows.length > 5)
        await atOnce(rows, async ({ id }) =>
          assert.equal((await get(`${CATALOG_PATH}/${path}/${id}`)).data['id'], id),
        )
      }
    })

    it('return the fields of §2.3, tags and the rating for a galgame', async () => {
      const { data } = await get(`${CATALOG_PATH}/galgames/${ids.clannad}`)
      assert.equal(data['origin_title'], 'CLANNAD')
      assert.equal(data['release_date'], '2004-04-28T00:00:00.000Z')
      assert.equal(data['release_date_tbd'], false)
      assert.equal(data['dev_status'], 'RELEASED')
      assert.equal(data['nsfw'], false)
      assert.ok((data['prices'] as Json[]).length > 0, 'the sample has prices from Bangumi')
      assert.ok((data['covers'] as Json[]).length > 0)
      assert.ok((data['tags'] as Json[]).length > 0)
      assert.deepEqual(data['rating'], {
        score: 0,
        total: 0,
        count: Object.fromEntries(Array.from({ length: 10 }, (_, score) => [score + 1, 0])),
      })
    })

    it('list the cast in billing order with the voice actors of each character', async () => {
      const { data } = await get(`${CATALOG_PATH}/galgames/${ids.clannad}/characters`)
      const nagisa = data.find(({ character }) => (character as Json)['name'] === '古河渚')
      assert.equal(nagisa?.['role'], 'MAIN')
      assert.deepEqual(
        (nagisa['actors'] as Json[]).map(({ name }) => name),
        ['中原麻衣'],
      )
    })

    it('reject unknown filter values and apply known ones', async () => {
      const all = await get(`${CATALOG_PATH}/galgames/${ids.clannad}/staff`)
      const scenario = await get(`${CATALOG_PATH}/galgames/${ids.clannad}/staff?role=SCENARIO`)
      assert.ok(scenario.data.length > 0 && scenario.data.length < all.data.length)
      assert.ok(scenario.data.every(({ role }) => role === 'SCENARIO'))
      assert.deepEqual(
        scenario.data,
        all.data.filter(({ role }) => role === 'SCENARIO'),
      )
      for (const path of [
        `galgames/${ids.clannad}/staff?role=scenario`,
        `galgames/${ids.clannad}/characters?role=LEAD`,
        `galgames/${ids.clannad}/producers?role=BUNKO`,
        `light-novels/${ids.novel}/volumes?sort=name`,
        `light-novels/${ids.novel}/people?relation=AUTHOR`,
        `light-novels/${ids.novel}/producers?relation=label`,
        `light-novels/${ids.novel}/characters?role=X`,
        `mangas/${ids.manga}/characters?role=main`,
      ]) {
        const response = await get(`${CATALOG_PATH}/${path}`)
        assert.equal(response.status, 422, path)
        assert.equal(response.code, 'COMMON_VALIDATION_FAILED')
        assert.equal(response.fields[0], /\?(\w+)=/.exec(path)?.[1])
      }
    })

    it('ignore unknown query parameters', async () => {
      const { data } = await get(`${CATALOG_PATH}/mangas/${ids.manga}/volumes`)
      assert.deepEqual(
        (await get(`${CATALOG_PATH}/mangas/${ids.manga}/volumes?color=red&role=X`)).data,
        data,
      )
    })

    it('sort volumes by number with unnumbered ones last, or by date for `recent`', async () => {
      const { data } = await get(`${CATALOG_PATH}/light-novels/${ids.novel}/volumes`)
      const numbers = data.map(({ volume_number }) => volume_number as number | null)
      assert.ok(new Set(numbers).size > 2 && numbers.includes(null))
      assert.deepEqual(
        numbers,
        numbers.toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity)),
      )
      assert.deepEqual(
        (await get(`${CATALOG_PATH}/light-novels/${ids.novel}/volumes?sort=volume_number`)).data,
        data,
      )
      const dates = (
        await get(`${CATALOG_PATH}/light-novels/${ids.novel}/volumes?sort=recent`)
      ).data.map(({ publication_date }) => JSON.stringify(publication_date ?? ''))
      assert.deepEqual(dates, dates.toSorted().toReversed())
    })
  })

  describe('404', () => {
    it('is returned for every id that is not a positive safe integer', async () => {
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
        for (const kind of [
          'galgames',
          'light-novels',
          'mangas',
          'people',
          'producers',
          'characters',
        ]) {
          const response = await service.get(`/v3/${kind}/${id}`, full)
          assert.equal(response.status, 404, `${kind}/${id}`)
          assert.match(await response.text(), /"COMMON_NOT_FOUND"/)
        }
      assert.equal((await get(`${CATALOG_PATH}/galgames/9007199254740991`)).status, 404)
      assert.equal((await get(`${CATALOG_PATH}/galgames/9007199254740991/staff`)).status, 404)
    })

    it('is returned for a work of another kind', async () => {
      assert.equal((await get(`${CATALOG_PATH}/mangas/${ids.clannad}`)).status, 404)
      assert.equal((await get(`${CATALOG_PATH}/mangas/${ids.clannad}/volumes`)).status, 404)
      assert.equal((await get(`${CATALOG_PATH}/galgames/${ids.novel}`)).status, 404)
    })

    it('is returned for an nsfw work and its lists with catalog:read, but not with catalog:full', async () => {
      for (const list of ['', '/staff', '/characters', '/producers', '/developers', '/relations']) {
        const path = `${CATALOG_PATH}/galgames/${ids.nsfwGalgame}${list}`
        // The caller with access comes first, so that the response is cached.
        assert.equal((await get(path, full)).status, 200)
        const hidden = await get(path, readToken)
        assert.equal(hidden.status, 404)
        const missing = await get(`${CATALOG_PATH}/galgames/123456789${list}`, readToken)
        assert.deepEqual(hidden.error, missing.error)
        assert.equal(hidden.headers.get('etag'), null)
        const etag = (await get(path, full)).headers.get('etag') ?? ''
        assert.equal((await get(path, readToken, { 'if-none-match': etag })).status, 404)
      }
    })

    it('is never the result of following a relation, because relations omit nsfw galgames with catalog:read', async () => {
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
      const all = await get(`${CATALOG_PATH}/galgames/${id}/relations`, full)
      const shown = await get(`${CATALOG_PATH}/galgames/${id}/relations`, readToken)
      assert.ok(shown.data.length < all.data.length)
      assert.equal(shown.headers.get('x-total-count'), String(shown.data.length))
      assert.deepEqual(
        shown.data,
        all.data.filter((entry) =>
          shown.data.some(
            ({ galgame }) => (galgame as Json)['id'] === (entry['galgame'] as Json)['id'],
          ),
        ),
      )
    })

    it('names the target if the entry was merged', async () => {
      await sql`insert into merged_entries (kind, id, merged_into) values
        ('galgame', 800001, ${ids.clannad}), ('galgame', 800002, ${ids.nsfwGalgame}), ('person', 800003, ${ids.person})`.execute(
        service.db,
      )
      for (const [path, target] of [
        ['galgames/800001', ids.clannad],
        ['galgames/800001/staff', ids.clannad],
        ['people/800003', ids.person],
      ] as const) {
        const response = await get(`${CATALOG_PATH}/${path}`, readToken)
        assert.equal(response.status, 404)
        assert.equal(response.code, 'WIKI_RESOURCE_MERGED')
        assert.deepEqual(response.error.details, { merged_into: target })
      }
      assert.equal(
        (await get(`${CATALOG_PATH}/galgames/800002`, readToken)).error.code,
        'COMMON_NOT_FOUND',
      )
      assert.equal(
        (await get(`${CATALOG_PATH}/galgames/800002`, full)).error.code,
        'WIKI_RESOURCE_MERGED',
      )
      assert.equal(
        (await get(`${CATALOG_PATH}/characters/800003`, full)).error.code,
        'COMMON_NOT_FOUND',
      )
    })

    it('has the usual envelope for an unknown path', async () => {
      for (const path of [
        '/',
        '/api',
        `${CATALOG_PATH}/`,
        `${CATALOG_PATH}/galgames/1/nothing`,
        '/v4/galgames/1',
      ]) {
        const response = await service.get(path, full)
        const body = (await response.json()) as Json
        assert.equal(response.status, 404, path)
        assert.equal((body['error'] as Json)['code'], 'COMMON_NOT_FOUND')
        assert.equal(body['success'], false)
        assert.ok(!('data' in body))
      }
    })
  })

  it('writes fields in the order of the specification', async () => {
    const { data } = await get(`${CATALOG_PATH}/characters/${ids.character}`)
    assert.deepEqual(Object.keys(data).slice(0, 4), ['id', 'name', 'trans_name', 'aliases'])
  })
})
