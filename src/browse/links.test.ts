import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'

const BASE = '/api/v3/open'

type Summary = {
  type: string
  id: number
  nsfw: boolean
  release_date: string | null
  readers: number
}
type Role = {
  role: string | null
  note?: string
  character?: { id: number } | null
  actors?: { id: number }[]
}
type FoundItem = {
  source: string
  id: string
  type: string
  volume_id: number | null
  entry: Summary
}
type Data = {
  items: ({ work: Summary; roles: Role[] } & FoundItem)[]
  meta: { total_items: number; total_pages: number; item_count: number }
  missing: string[]
}

describeOnDatabase('links between entries', (engine) => {
  let service: TestService
  let full: string
  let readToken: string

  const get = (path: string, token = full) =>
    sendApiRequest<Data>(service.url, { path: `${BASE}/${path}`, token })
  const run = (text: string) => sql.raw(text).execute(service.db)
  const worksOf = async (path: string, token = full) =>
    (await get(path, token)).data.items.map(({ work, roles }) => [
      `${work.type} ${work.id}`,
      ...roles.map(({ role }) => role),
    ])
  const foundBy = async (query: string, token = full) => {
    const { data, status } = await get(`lookup?${query}`, token)
    assert.equal(status, 200, query)
    return [
      ...data.items.map(({ id, type, entry }) => `${id} ${type} ${entry.id}`),
      ...data.missing,
    ]
  }
  async function assertRefused(path: string, field: string) {
    const { status, code, fields } = await get(path)
    assert.equal(status, 422, path)
    assert.equal(code, 'COMMON_VALIDATION_FAILED')
    assert.deepEqual(fields, [field], path)
  }

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    readToken = await service.token('catalog:read')
    // One entry per case: 900001 is a galgame, 900002 a novel, 900003 a manga, and 900004 an nsfw galgame without a
    // date.
    await run(`
      insert into people (id, name) values (900001, 'Writer');
      insert into producers (id, name) values (900001, 'House');
      insert into characters (id, name) values (900001, 'Heroine'), (900002, 'Friend');
      insert into works (id, kind, nsfw) values
        (900001, 'galgame', false), (900002, 'light_novel', false), (900003, 'manga', false), (900004, 'galgame', true);
      insert into galgames (id, origin_title, release_date, steam_apps) values
        (900001, 'Game', '2010-01-01', '[{"app_id": 77}]'), (900004, 'Hidden', null, '[{"app_id": 77}]');
      insert into light_novels (id, name, publication_date) values (900002, 'Novel', '2012-01-01');
      insert into mangas (id, name, publication_date) values (900003, 'Manga', '2010-01-01');
      insert into light_novel_volumes (id, light_novel_id, position, isbns)
        values (900001, 900002, 1, '["9784041000014", "9781975384999"]');
      insert into manga_volumes (id, manga_id, position, isbn) values (900001, 900003, 1, '9784091865465');
      insert into galgame_staff values (900001, 1, 900001, 'SCENARIO', 'W.'), (900001, 2, 900001, null, null), (900004, 1, 900001, 'MUSIC', null);
      insert into galgame_characters values (900001, 1, 900001, 'MAIN'), (900001, 2, 900002, 'GUEST');
      insert into galgame_character_actors values (900001, 900002, 1, 900001), (900001, 900001, 1, 900001);
      insert into light_novel_people values (900002, 1, 900001, 'author', 'of all'), (900002, 2, 900001, 'illustrator', null);
      insert into manga_people values (900003, 1, 900001, 'ORIGINAL_CREATOR', '');
      insert into galgame_producers (galgame_id, position, producer_id, role, note)
        values (900001, 1, 900001, 'DEVELOPER', ''), (900001, 2, 900001, 'PUBLISHER', 'en');
      insert into light_novel_producers values (900002, 1, 900001, 'bunko', null);
      insert into manga_characters values (900003, 1, 900001, 'SUPPORTING');
      insert into source_records (source, kind, external_id, entry_id, fields) values
        ('vndb', 'galgame', 'v990001', 900001, '{}'), ('vndb', 'galgame', 'v990004', 900004, '{}'),
        ('vndb', 'galgame', 'v990005', 900005, '{}'), ('vndb', 'person', 's990001', 900001, '{}'),
        ('bangumi', 'person', '900001', 900001, '{}'), ('bangumi', 'producer', '900001', 900001, '{}'),
        ('bangumi', 'light_novel_volume', '900001', 900001, '{}'), ('bangumi', 'galgame', '990001', 900001, '{}'),
        ('ranobedb', 'light_novel', '900001', 900002, '{}');
      insert into source_same_as values
        ('ranobedb', 'light_novel', '900001', 'anilist', '900077'),
        ('vndb', 'galgame', 'v990001', 'bangumi', '990002'), ('vndb', 'galgame', 'v990004', 'bangumi', '990001'),
        ('ranobedb', 'light_novel', '900001', 'isbn', '9784041000021');
      insert into merged_entries (kind, id, merged_into) values
        ('person', 900002, 900001), ('galgame', 900005, 900006), ('galgame', 900006, 900001)`)
  })
  after(() => service.close())

  describe('GET works of a person, producer or character', () => {
    it('returns each work once with all its roles, newest first and undated works last', async () => {
      assert.deepEqual(await worksOf('people/900001/works'), [
        ['light_novel 900002', 'AUTHOR', 'ILLUSTRATOR'],
        ['manga 900003', 'ORIGINAL_CREATOR'],
        ['galgame 900001', 'SCENARIO', null, 'VOICE', 'VOICE'],
        ['galgame 900004', 'MUSIC'],
      ])
      assert.deepEqual(await worksOf('producers/900001/works'), [
        ['light_novel 900002', 'BUNKO'],
        ['galgame 900001', 'DEVELOPER', 'PUBLISHER'],
      ])
      assert.deepEqual(await worksOf('characters/900001/works'), [
        ['manga 900003', 'SUPPORTING'],
        ['galgame 900001', 'MAIN'],
      ])
    })

    it('returns the voiced character, the credited name and the note', async () => {
      const game = (await get('people/900001/works?type=galgame')).data.items[0]
      assert.deepEqual(game?.roles[0], {
        role: 'SCENARIO',
        credited_as: 'W.',
        note: '',
        character: null,
      })
      assert.deepEqual(
        game?.roles.flatMap(({ character }) => character?.id ?? []),
        [900001, 900002],
      )
      const novel = (await get('people/900001/works?type=light_novel')).data.items[0]
      assert.deepEqual(
        novel?.roles.map(({ note }) => note),
        ['of all', ''],
      )
      const appearance = (await get('characters/900001/works?type=galgame')).data.items[0]
      assert.deepEqual(
        appearance?.roles[0]?.actors?.map(({ id }) => id),
        [900001],
      )
    })

    it('filters by kind and role, and still returns all roles of each work', async () => {
      const books = [
        ['light_novel 900002', 'AUTHOR', 'ILLUSTRATOR'],
        ['manga 900003', 'ORIGINAL_CREATOR'],
      ]
      for (const query of [
        'type=light_novel,manga',
        'type=manga&type=LIGHT_NOVEL',
        'role=author&role=ORIGINAL_CREATOR',
      ])
        assert.deepEqual(await worksOf(`people/900001/works?${query}`), books, query)
      assert.deepEqual(await worksOf('people/900001/works?role=VOICE,QC'), [
        ['galgame 900001', 'SCENARIO', null, 'VOICE', 'VOICE'],
      ])
      assert.deepEqual(await worksOf('people/900001/works?type=manga&role=VOICE'), [])
    })

    it('returns each work on exactly one page, and counts only works that the caller may see', async () => {
      const seen: unknown[] = []
      for (const page of [1, 2, 3, 4]) {
        const { data } = await get(`people/900001/works?page=${page}&page_size=1`)
        assert.deepEqual(
          [data.meta.total_items, data.meta.item_count, data.items.length],
          [4, 1, 1],
        )
        seen.push(data.items[0]?.work.id)
      }
      assert.deepEqual(seen, [900002, 900003, 900001, 900004])
      const { data } = await get('people/900001/works', readToken)
      assert.equal(data.meta.total_items, 3)
      assert.ok(data.items.every(({ work }) => !work.nsfw))
      assert.deepEqual((await get('people/900001/works?page=9')).data.items, [])
    })

    it('returns the same errors as the detail endpoint for missing and merged entries', async () => {
      assert.equal((await get('people/999999/works')).error.code, 'COMMON_NOT_FOUND')
      const { status, error } = await get('people/900002/works')
      assert.deepEqual(
        [status, error.code, error.details],
        [404, 'WIKI_RESOURCE_MERGED', { merged_into: 900001 }],
      )
      assert.equal((await service.get(`${BASE}/people/abc/works`, full)).status, 404)
      assert.equal((await service.get('/v3/people/900001/works', full)).status, 200)
    })

    it('rejects an invalid kind, role or page', async () => {
      await assertRefused('people/900001/works?type=anime', 'type')
      await assertRefused('people/900001/works?type=manga,%00', 'type')
      for (const role of ['%00', "'", 'A%25', 'x'.repeat(41), Array(60).fill('A').join(',')])
        await assertRefused(`people/900001/works?role=${role}`, 'role')
      await assertRefused('people/900001/works?page=0', 'page')
      await assertRefused('people/900001/works?page_size=101', 'page_size')
    })
  })

  describe('GET lookup', () => {
    it('returns entries in the requested order and lists missing ids', async () => {
      assert.deepEqual(await foundBy('source=vndb&id=v990004,s990001&id=V990001,v1234567'), [
        'v990004 galgame 900004',
        's990001 person 900001',
        'V990001 galgame 900001',
        'v1234567',
      ])
      assert.deepEqual(await foundBy('source=vndb&id=990001,990001'), ['990001 galgame 900001'])
      assert.deepEqual(await foundBy('source=vndb&id=990001&type=person'), ['990001 person 900001'])
      assert.deepEqual(await foundBy('source=steam&id=77'), [
        '77 galgame 900001',
        '77 galgame 900004',
      ])
      assert.deepEqual(await foundBy('source=anilist&id=900077'), ['900077 light_novel 900002'])
    })

    it('prefers the entry whose own record has the id over an entry that only mentions the id', async () => {
      assert.deepEqual(await foundBy('source=bangumi&id=990001'), ['990001 galgame 900001'])
      assert.deepEqual(await foundBy('source=bangumi&id=990002'), ['990002 galgame 900001'])
    })

    it('distinguishes ids of different types that a site numbers separately', async () => {
      assert.deepEqual(await foundBy('source=bangumi&id=900001'), ['900001 light_novel 900002'])
      assert.deepEqual(await foundBy('source=bangumi&id=900001&type=person,producer'), [
        '900001 person 900001',
        '900001 producer 900001',
      ])
      assert.deepEqual(await foundBy('source=ranobedb&id=900001&type=light_novel_volume'), [
        '900001',
      ])
    })

    it('returns both the work and the volume for the id of a volume', async () => {
      const [novel] = (await get('lookup?source=bangumi&id=900001')).data.items
      assert.deepEqual([novel?.volume_id, novel?.entry.id], [900001, 900002])
      for (const isbn of ['9784091865465', '978-4-09-186546-5', '4091865461', '4-09-186546-1']) {
        const { items, missing } = (await get(`lookup?isbn=${isbn}`)).data
        assert.deepEqual(
          [items[0]?.source, items[0]?.id, items[0]?.entry.id],
          ['isbn', isbn, 900003],
        )
        assert.deepEqual([items[0]?.volume_id, missing], [900001, []])
      }
      for (const isbn of ['9781975384999', '978-4-04-100001-4']) {
        const [item] = (await get(`lookup?isbn=${isbn}`)).data.items
        assert.deepEqual(
          [item?.type, item?.volume_id, item?.entry.id],
          ['light_novel', 900001, 900002],
        )
      }
      const [single] = (await get('lookup?isbn=9784041000021')).data.items
      assert.deepEqual(
        [single?.type, single?.volume_id, single?.entry.id],
        ['light_novel', null, 900002],
      )
      assert.deepEqual(await foundBy('isbn=9784091366481'), ['9784091366481'])
    })

    it('follows merges, including chains of them', async () => {
      assert.deepEqual(await foundBy('source=vndb&id=v990005'), ['v990005 galgame 900001'])
    })

    it('omits nsfw works for callers without access', async () => {
      assert.deepEqual(await foundBy('source=vndb&id=v990004,v990001', readToken), [
        'v990001 galgame 900001',
        'v990004',
      ])
      assert.deepEqual(await foundBy('source=steam&id=77', readToken), ['77 galgame 900001'])
    })

    it('rejects missing, invalid and too many ids, naming the parameter', async () => {
      for (const id of [
        'r17',
        'v',
        'v0',
        '-1',
        '1e3',
        '%27',
        'v1%00',
        '9'.repeat(16),
        '😀',
        '%D8%00',
      ])
        await assertRefused(`lookup?source=vndb&id=${id}`, 'id')
      await assertRefused('lookup?source=bangumi&id=v4', 'id')
      await assertRefused(
        `lookup?source=vndb&id=${Array.from({ length: 101 }, (_, n) => `v${n + 1}`).join(',')}`,
        'id',
      )
      for (const isbn of ['9784091865464', '123', 'x', '97840918654650', '%00'])
        await assertRefused(`lookup?isbn=${isbn}`, 'isbn')
      await assertRefused('lookup?isbn=9784091865465&source=vndb', 'isbn')
      await assertRefused('lookup?id=v4', 'source')
      await assertRefused('lookup?source=imdb&id=1', 'source')
      await assertRefused('lookup?source=vndb&source=steam&id=1', 'source')
      await assertRefused('lookup?source=vndb&id=v4&type=volume', 'type')
      for (const emptyQuery of ['lookup', 'lookup?source=vndb', 'lookup?source=vndb&id=,,'])
        await assertRefused(emptyQuery, 'id')
    })

    it('accepts 100 ids, supports ETags and requires a token', async () => {
      const ids = Array.from({ length: 100 }, (_, n) => `v${n + 2_000_000}`).join(',')
      assert.equal((await foundBy(`source=vndb&id=${ids}`)).length, 100)
      const path = '/v3/lookup?source=vndb&id=v990001'
      const response = await service.get(path, full)
      assert.equal(response.status, 200)
      await response.text()
      const etag = response.headers.get('etag') ?? ''
      assert.equal((await service.get(path, full, { 'if-none-match': etag })).status, 304)
      assert.equal((await service.get(path)).status, 401)
    })
  })
})
