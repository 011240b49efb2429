import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { updateListings } from '#test/update-listings.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { sendApiRequest } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { first } from '#test/sample-works.ts'
import { KINDS, WORK_KINDS, type EntryKind } from '../../catalog/kinds.ts'
import { SORTS } from './sorts.ts'

const BASE = '/api/v3/open'

type Summary = {
  type: EntryKind
  id: number
  title: string
  release_date: string | null
  score: number | null
  weighted_score: number | null
  score_votes: number
  readers: number
  changed_at: string
  nsfw: boolean
}
type ListPage = {
  items: Summary[]
  meta: {
    page: number
    page_size: number
    item_count: number
    total_items: number
    total_pages: number
  }
  next_cursor: string | null
}

describeOnDatabase('a list of entries', (engine) => {
  let service: TestService
  let full: string
  let readToken: string

  const send = (path: string, token = full) =>
    sendApiRequest<ListPage>(service.url, { path: `${BASE}/${path}`, token })
  async function pageOf(path: string, token = full): Promise<ListPage> {
    const { status, data, error } = await send(path, token)
    assert.equal(status, 200, `${path} ${JSON.stringify(error)}`)
    return data
  }
  const idsOf = (items: Summary[]) => items.map(({ id }) => id)

  /** Reads all entries by cursor, using small pages for galgames and mangas, which have few entries. */
  async function walk(
    path: string,
    token = full,
    between: () => Promise<unknown> = async () => {},
  ) {
    const items: Summary[] = []
    const size = /^(galgames|mangas)/.test(path) ? 5 : 40
    const join = path.includes('?') ? '&' : '?'
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: ListPage = await pageOf(
        `${path}${join}page_size=${size}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
        token,
      )
      assert.equal(page.meta.page, items.length / size + 1)
      items.push(...page.items)
      cursor = page.next_cursor
      await between()
    }
    return items
  }

  before(async () => {
    service = await startService({ engine })
    full = await service.token('catalog:full')
    readToken = await service.token('catalog:read')
    const accounts = await createAccounts(service.db, 3)
    const { rows } = await sql<{ id: number; kind: 'galgame' }>`
      select id, kind from works where id % 3 = 0 order by id`.execute(service.db)
    for (const [index, work] of rows.entries())
      for (const account of accounts.slice(index % 4))
        await writeRating(service.db, account, work, { rate: (index % 19) / 2 + 1 })
    await sql`update works set updated_at = updated_at + (id % 5) * interval '1 day'`.execute(
      service.db,
    )
    await updateListings(service.db)
    const voted = await sql<{ kind: string; id: number; votes: number }>`
      select kind, id, source_votes_full as votes from listings`.execute(service.db)
    votes = new Map(voted.rows.map(({ kind, id, votes: amount }) => [`${kind} ${id}`, amount]))
  })
  after(() => service.close())

  /** Votes at the sources, which decide among entries with equally many users. */
  let votes: Map<string, number>
  const votesOf = ({ type, id }: Summary) => votes.get(`${type} ${id}`) ?? 0

  /** Keys that each sort order compares, before ids. */
  const KEYS: Record<string, (entry: Summary) => (string | number)[]> = {
    popularity: (entry) => [-entry.readers, -votesOf(entry)],
    score: (entry) => [-(entry.weighted_score ?? 0), -entry.readers, -votesOf(entry)],
    date: ({ release_date }) => [-Date.parse(release_date ?? '0001-01-01T00:00:00Z')],
    changed: ({ changed_at }) => [-Date.parse(changed_at)],
  }
  const compare = (a: (string | number)[], b: (string | number)[]) => {
    const index = a.findIndex((value, index) => value !== b[index])
    return index < 0 ? 0 : (a[index] ?? 0) < (b[index] ?? 0) ? -1 : 1
  }

  for (const [kind, sorts] of Object.entries(SORTS))
    // as: the kinds of that table
    it(`returns all ${KINDS[kind as EntryKind].path} exactly once in each order, by cursor and by page`, async () => {
      // as: the kinds of that table
      const { path, table } = KINDS[kind as EntryKind]
      const { rows } = await sql<{ id: number }>`
        select id from ${sql.table(table)} order by id`.execute(service.db)
      for (const sort of sorts) {
        const items = await walk(`${path}?sort=${sort}`)
        assert.deepEqual(
          idsOf(items).toSorted((a, b) => a - b),
          idsOf(rows as Summary[]),
          sort,
        )
        const key = KEYS[sort]
        if (key) {
          const ordered = items.toSorted((a, b) => compare([...key(a), a.id], [...key(b), b.id]))
          assert.deepEqual(idsOf(items), idsOf(ordered), sort)
        }
        const pages = await Promise.all(
          [1, 2, 3].map((page) => pageOf(`${path}?sort=${sort}&page=${page}&page_size=9`)),
        )
        assert.deepEqual(
          pages.flatMap((page) => idsOf(page.items)),
          idsOf(items.slice(0, 27)),
        )
        assert.equal(pages[0]?.meta.total_items, rows.length)
      }
    })

  it('sorts names regardless of case, accents, width and leading punctuation', async () => {
    const names = ['ａｂｃ 1', '「ABC 2」', 'Äbc 3', 'abc 4', '☆Abc 5', 'Бета 1', 'бета 2']
    for (const name of names.toReversed())
      await sql`insert into characters (name) values (${name})`.execute(service.db)
    await updateListings(service.db)
    const items = await walk('characters?sort=name')
    assert.deepEqual(
      items.map(({ title }) => title).filter((title) => names.includes(title)),
      names,
    )
    await sql`delete from characters where name = any(${names})`.execute(service.db)
    await updateListings(service.db)
  })

  it('has the same ETag under both path prefixes, and includes the kind of each entry', async () => {
    const open = await send('mangas?sort=name')
    const short = await service.get('/v3/mangas?sort=name', full)
    // as: the envelope of §2.1
    assert.deepEqual(((await short.json()) as { data: unknown }).data, open.data)
    const etag = open.headers.get('etag') ?? ''
    assert.match(etag, /^"[\w-]+"$/)
    const repeated = await service.get(`${BASE}/mangas?sort=name`, full, { 'if-none-match': etag })
    assert.equal(repeated.status, 304)
    assert.equal((await service.get(`${BASE}/mangas`)).status, 401)
    assert.equal(
      (await service.get(`${BASE}/mangas`, await service.token('catalog:sync'))).status,
      403,
    )
  })

  it('neither contains nor reveals nsfw works without catalog:full, in its entries, totals and order', async () => {
    for (const kind of WORK_KINDS) {
      const { path } = KINDS[kind]
      const [all, shown] = [await walk(path), await walk(path, readToken)]
      assert.deepEqual(idsOf(shown), idsOf(all.filter(({ nsfw }) => !nsfw)))
      assert.equal((await pageOf(path, readToken)).meta.total_items, shown.length)
      for (const [nsfw, items] of [
        [true, all.filter((entry) => entry.nsfw)],
        [false, shown],
      ] as const) {
        const page = await pageOf(`${path}?nsfw=${nsfw}&page_size=100`)
        assert.deepEqual(idsOf(page.items), idsOf(items))
        assert.equal(page.meta.total_items, items.length)
      }
      const hidden = await pageOf(`${path}?nsfw=true`, readToken)
      assert.deepEqual([hidden.items, hidden.meta.total_items, hidden.next_cursor], [[], 0, null])
    }
    const readers = async (token: string) => {
      const people = await walk('people', token)
      return people.map((person) => person.readers).reduce((sum, count) => sum + count, 0)
    }
    const { rows } = await sql<{ all: number; shown: number }>`
      select sum(readers_full) as all, sum(readers) as shown from listings where kind = 'person'`.execute(
      service.db,
    )
    assert.deepEqual({ all: await readers(full), shown: await readers(readToken) }, first(rows))
    assert.notEqual(first(rows).all, first(rows).shown)
  })

  describe('filters', () => {
    /** Returns the ids of a kind that satisfy a condition on `work`, on the kind's row `entry`, or on `id`. */
    async function expected(kind: EntryKind, condition: string) {
      const { table, isWork } = KINDS[kind]
      const { rows } = await sql<{ id: number }>`
        select entry.id from ${sql.table(table)} entry
        ${sql.raw(isWork ? 'join works work on work.id = entry.id join listings listing on listing.id = work.id and listing.kind = work.kind' : '')}
        where ${sql.raw(condition)} order by entry.id`.execute(service.db)
      return rows.map(({ id }) => id)
    }
    const tagged = (name: string) => `work.tags @> '[{"name": "${name}"}]'`
    const credited = (kind: string, id: number, work: string) =>
      `exists (select from credited_works c where c.kind = '${kind}' and c.id = ${id} and c.work_kind = '${work}' and c.work_id = entry.id)`
    const year = (column: string, value: number) => `extract(year from ${column}) = ${value}`

    for (const [kind, query, condition] of [
      ['galgame', 'year=2004', year('entry.release_date', 2004)],
      [
        'galgame',
        'year=2004,2005&year=2000',
        `extract(year from entry.release_date) in (2000, 2004, 2005)`,
      ],
      ['galgame', 'status=RELEASED', `entry.dev_status = 'RELEASED'`],
      ['galgame', 'platform=swi,ps2', `entry.platforms ?| array['swi', 'ps2']`],
      ['galgame', 'language=ja', `entry.origin_lang = 'ja'`],
      ['galgame', 'tag=key', tagged('key')],
      ['galgame', 'producer=9', credited('producer', 9, 'galgame')],
      [
        'galgame',
        'person=1,49',
        `${credited('person', 1, 'galgame')} or ${credited('person', 49, 'galgame')}`,
      ],
      ['galgame', 'character=1', credited('character', 1, 'galgame')],
      ['galgame', 'min_score=2.5', 'listing.weighted_score >= 2.5'],
      [
        'galgame',
        'producer=9&platform=swi&year=2004',
        `${credited('producer', 9, 'galgame')} and entry.platforms ? 'swi' and ${year('entry.release_date', 2004)}`,
      ],
      [
        'light_novel',
        'status=FINISHED&min_score=2',
        `entry.novel_status = 'FINISHED' and listing.weighted_score >= 2`,
      ],
      ['light_novel', 'tag=小说&tag=漫画', `${tagged('小说')} or ${tagged('漫画')}`],
      ['manga', 'status=SERIALIZING,FINISHED', 'true'],
      ['manga', 'year=2001&tag=nobody has this', 'false'],
      ['producer', 'year=1972', year('entry.established', 1972)],
      ['galgame', 'producer=999999999', 'false'],
      ['galgame', 'platform=%25', 'false'],
    ] as const)
      it(`match the same entries in every order: ${kind} ${query}`, async () => {
        const ids = await expected(kind, condition)
        if (condition !== 'false') assert.ok(ids.length > 0, 'the sample contains matches')
        for (const sort of SORTS[kind]) {
          const items = await walk(`${KINDS[kind].path}?${query}&sort=${sort}`)
          assert.deepEqual(
            idsOf(items).toSorted((a, b) => a - b),
            ids,
            sort,
          )
        }
        const { meta } = await pageOf(`${KINDS[kind].path}?${query}`)
        assert.equal(meta.total_items, ids.length)
      })

    it('are rejected if the kind lacks them, so that no unfiltered response is mistaken for a filtered one', async () => {
      for (const [path, field] of [
        ['people?tag=key', 'tag'],
        ['people?min_score=5', 'min_score'],
        ['mangas?platform=win', 'platform'],
        ['light-novels?language=ja', 'language'],
        ['producers?nsfw=true', 'nsfw'],
        ['characters?sort=score', 'sort'],
        ['people?sort=date', 'sort'],
      ] as const) {
        const { status, fields } = await send(path)
        assert.equal(status, 422, path)
        assert.deepEqual(fields, [field])
      }
      assert.equal((await send('people?color=red')).status, 200)
    })
  })

  it('reports every error in an invalid query', async () => {
    const { fields } = await send(
      'galgames?year=99&producer=x,1&person=0&status=OUT&min_score=11&page=0&sort=up',
    )
    assert.deepEqual(fields.toSorted(), [
      'min_score',
      'page',
      'person',
      'producer',
      'sort',
      'status',
      'year',
    ])
    for (const query of [
      'page_size=101',
      'page=1&page=2',
      'tag=%00',
      'nsfw=maybe',
      'min_score=x',
      `producer=${Array.from({ length: 21 }, (_, index) => index + 1).join(',')}`,
      'page=101&page_size=100',
      'page=1&cursor=x',
    ])
      assert.equal((await send(`galgames?${query}`)).status, 422, query)
  })

  describe('cursor', () => {
    it('is valid only for its own list', async () => {
      const { next_cursor } = await pageOf('galgames?sort=name&page_size=2&platform=win')
      assert.ok(next_cursor)
      const cursor = encodeURIComponent(next_cursor)
      const other = await pageOf(`galgames?platform=win&sort=name&page_size=5&cursor=${cursor}`)
      assert.equal(other.items.length, 5)
      const forge = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url')
      const [list] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString()) as [string]
      for (const [query, token] of [
        [`sort=name&cursor=${cursor}`, full],
        [`platform=win&sort=date&cursor=${cursor}`, full],
        [`platform=win&sort=name&cursor=${cursor}`, readToken],
        [`platform=win&sort=name&cursor=${cursor.slice(0, -4)}`, full],
        [`platform=win&sort=name&cursor=${cursor}&cursor=${cursor}`, full],
        ['cursor=%00', full],
        [`cursor=${'a'.repeat(5_000)}`, full],
        ...[
          [],
          {},
          null,
          [list],
          [list, 1, 1, 'a'],
          [list, 1, 1, 'a', 1, 1],
          [list, 1, 1, 'a\0', 1],
          [list, 1, 1, 5, 1],
          [list, -1, 1, 'a', 1],
          [list, 1, 1, 'a', 1.5],
          [list, 1, 1, 'a', null],
        ].map((keys) => [`platform=win&sort=name&cursor=${forge(keys)}`, full] as const),
      ] as const) {
        const { status, fields } = await send(`galgames?${query}`, token)
        assert.equal(status, 422, query)
        assert.deepEqual(fields, ['cursor'])
      }
    })

    it('is rejected if it contains an invalid date or time, without a server error', async () => {
      for (const sort of ['date', 'changed', 'score', 'popularity']) {
        const { next_cursor } = await pageOf(`galgames?sort=${sort}&page_size=1`)
        const cursorValues = JSON.parse(
          Buffer.from(next_cursor ?? '', 'base64url').toString(),
        ) as unknown[]
        for (const value of ['x', 1e300, -1e300, 1.5, {}, '2004-02-30', 253_402_300_800_000]) {
          const forged = Buffer.from(JSON.stringify(cursorValues.with(3, value))).toString(
            'base64url',
          )
          const { status } = await send(`galgames?sort=${sort}&cursor=${forged}`)
          assert.ok(
            status === 422 || (status === 200 && /score|popularity/.test(sort)),
            `${sort} ${JSON.stringify(value)}: ${status}`,
          )
        }
      }
    })

    it('returns each unchanged entry exactly once while others are added, changed and deleted', async () => {
      const { db } = service
      let round = 0
      for (const sort of SORTS.character) {
        const { rows } = await sql<{ id: number }>`select id from characters order by id`.execute(
          db,
        )
        const unchangedIds = rows.flatMap(({ id }) => (id % 4 === 0 ? [] : [id]))
        const updatedRows = rows.filter(({ id }) => id % 4 === 0)
        const items = await walk(`characters?sort=${sort}`, full, async () => {
          round += 1
          const { id = 0 } = updatedRows.pop() ?? {}
          await sql`insert into characters (name) values (${`${round % 2 ? 'A' : '龍'} new ${round}`})`.execute(
            db,
          )
          await sql`update characters set name = ${`${round % 2 ? '龍' : 'A'} moved ${round}`}, updated_at = now() where id = ${id}`.execute(
            db,
          )
          if (round % 3 === 0) await sql`delete from characters where id = ${id}`.execute(db)
          await updateListings(db)
        })
        const seen = idsOf(items)
        assert.equal(new Set(seen).size, seen.length - duplicatesOfMoved(items), sort)
        assert.deepEqual(
          seen.filter((id) => unchangedIds.includes(id)).toSorted((a, b) => a - b),
          unchangedIds,
          sort,
        )
      }
    })
  })

  /** Returns the number of repeated entries. Entries that move past the cursor are returned again. */
  const duplicatesOfMoved = (items: Summary[]) => {
    const moved = items.filter(({ id, title }) => id % 4 === 0 || / new /.test(title))
    return moved.length - new Set(idsOf(moved)).size
  }
})
