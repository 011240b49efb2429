import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { sql } from 'kysely'
import { exportAccount } from '../../accounts/profile/export.ts'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { sendApiRequest, signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { startService, type TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { SUB_SCORES } from '../fields.ts'
import {
  LIST_EXPORT_PATH,
  deleteAllRatings,
  createImporter,
  exportRatings,
  type Importer,
} from '#test/list-imports.ts'

/** Parses a table as defined by RFC 4180; fails for anything else. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let rest = text
  while (rest !== '') {
    const [cell, quoted, plain, end] = /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(rest) ?? []
    assert.ok(cell !== undefined, `no cell: ${JSON.stringify(rest.slice(0, 80))}`)
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    rest = rest.slice(cell.length)
    if (end !== ',' && rest !== '') rows.push([])
  }
  return rows
}

describeOnDatabase('a list export', (engine) => {
  let service: TestService
  let me: SignedInUser
  let send: Importer
  let galgames: number[]
  let novel: number
  let manga: number
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    send = createImporter(service, me)
    const works = await sampleWorks(service.db)
    galgames = works.galgame
    novel = first(works.light_novel)
    manga = first(works.manga)
  })
  after(() => service.close())
  beforeEach(() => deleteAllRatings(service, me))

  const galgame = (index = 0) => `/v3/user/me/rates/galgames/${galgames[index] ?? 0}`

  /** One rating of each kind, with all of its fields. */
  async function rateAll() {
    const scores = (names: readonly string[]) =>
      Object.fromEntries(names.map((name, at) => [name, 9.5 - at]))
    await me.send('PUT', galgame(), {
      ...scores(SUB_SCORES.galgame),
      rate: 9.5,
      status: 'COMPLETED',
      rate_content: 'Two lines\r\nand "quotes", 漢字 😀\n',
      is_spoiler: true,
      time_to_finish_minutes: 3_600,
    })
    await me.send('PUT', `/v3/user/me/rates/light-novels/${novel}`, {
      ...scores(SUB_SCORES.light_novel),
      status: 'DROPPED',
      status_private: true,
    })
    await me.send('PUT', `/v3/user/me/rates/mangas/${manga}`, { rate: 1, status: 'PLAN' })
  }

  const csv = async () => {
    const response = await service.get(`${LIST_EXPORT_PATH}?format=csv`, me.token)
    assert.equal(response.status, 200)
    return { text: Buffer.from(await response.arrayBuffer()).toString(), headers: response.headers }
  }
  /** Parses an exported table into one object per row. */
  const table = async (): Promise<Record<string, string>[]> => {
    const [header = [], ...rows] = parseCsv((await csv()).text.slice(1))
    return rows.map((cells) => {
      assert.equal(cells.length, header.length)
      return Object.fromEntries(header.map((name, at) => [name, cells[at] ?? '']))
    })
  }

  it('contains every rating, ordered by work, including private ones, with external ids', async () => {
    await rateAll()
    const { status, data } = await me.send('GET', LIST_EXPORT_PATH)
    assert.equal(status, 200)
    assert.match(data.exported_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    const { data: listed } = await me.send('GET', '/v3/user/me/rates?page_size=100')
    const byWork = listed.items.toSorted((a: AnyJson, b: AnyJson) => a.work_id - b.work_id)
    const withoutIds = data.ratings.map(({ external_ids: _ids, ...record }: AnyJson) => record)
    assert.deepEqual(
      withoutIds,
      byWork.map(
        ({
          title: _title,
          cover: _cover,
          dimensions: _dims,
          last_activity_at: _at,
          ...item
        }: AnyJson) => {
          const { rate_id, rate_content, ...shared } = item
          return { ...shared, id: rate_id, rate_content: rate_content ?? '' }
        },
      ),
    )
    assert.equal(withoutIds.length, 3)
    const clannad = data.ratings.find(({ work }: AnyJson) => work.name === 'CLANNAD')
    assert.deepEqual(clannad.external_ids, { bangumi: '13', vndb: 'v4' })
  })

  it('is available under both path families, and is empty for a user without ratings', async () => {
    const other = await me.send('GET', LIST_EXPORT_PATH.replace('/v3/', '/api/v3/open/'))
    assert.equal(other.status, 200)
    assert.deepEqual(other.data.ratings, [])
    assert.equal((await csv()).text.split('\r\n').length, 2)
  })

  it('can be imported again, without its ids, times and likes', async () => {
    await rateAll()
    const whole = await me.send('GET', LIST_EXPORT_PATH)
    const before = await exportRatings(me)
    const forms = [whole.body, whole.data, whole.data.ratings]
    for (const form of forms) {
      await deleteAllRatings(service, me)
      const { status, data } = await send({ source: 'mokuroku', dry_run: false }, form)
      assert.equal(status, 200)
      assert.equal(data.counts.created, 3, JSON.stringify(data))
      assert.deepEqual(await exportRatings(me), before)
    }
    const { data } = await send({ source: 'mokuroku', dry_run: false, overwrite: true }, whole.body)
    assert.equal(data.counts.unchanged, 3)
  })

  it('can be imported by external ids, or by catalog id for works without external ids', async () => {
    await me.send('PUT', galgame(), { rate: 5 })
    const [record] = (await me.send('GET', LIST_EXPORT_PATH)).data.ratings
    await deleteAllRatings(service, me)
    const importOne = async (changed: object) => {
      const { data } = await send({ source: 'mokuroku' }, [{ ...record, ...changed }])
      return [data.rows[0].outcome, data.rows[0].work_id]
    }
    const { work_id } = record
    assert.deepEqual(await importOne({ work_id: 999_999 }), ['CREATED', work_id])
    assert.deepEqual(await importOne({ work_id: undefined }), ['CREATED', work_id])
    assert.deepEqual(await importOne({ external_ids: {} }), ['CREATED', work_id])
    assert.deepEqual(await importOne({ external_ids: undefined }), ['CREATED', work_id])
    assert.deepEqual(await importOne({ external_ids: { vndb: 'v999999' } }), [
      'UNMATCHED',
      undefined,
    ])
    assert.deepEqual(await importOne({ external_ids: { somewhere: 'else' } }), [
      'UNMATCHED',
      undefined,
    ])
    assert.deepEqual(await importOne({ external_ids: {}, work_id: manga }), [
      'UNMATCHED',
      undefined,
    ])
    const refused = [
      { external_ids: {}, work_id: undefined },
      { external_ids: { vndb: 17 } },
      { external_ids: { vndb: 'v\0' } },
      { external_ids: { vndb: '\ud800' } },
      { external_ids: { 'v\0': 'v' } },
      { external_ids: { vndb: 'v'.repeat(201) } },
      { external_ids: Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`s${at}`, 'x'])) },
      { external_ids: {}, work_id: 1e30 },
      { work_type: 'anime' },
      { work_type: 'constructor' },
      { rate_plot: 5 },
      { rate_plots: 5 },
      { time_to_finish_minutes: 525_601 },
    ]
    for (const changed of refused)
      assert.equal((await importOne(changed))[0], 'INVALID', JSON.stringify(changed))
  })

  it('contains each source’s own id in preference to an id stated by another source', async () => {
    await me.send('PUT', galgame(), { rate: 5 })
    const exported = async () =>
      first((await me.send('GET', LIST_EXPORT_PATH)).data.ratings as AnyJson[]).external_ids
    const { vndb, bangumi } = await exported()
    assert.ok(vndb && bangumi)
    const link = sql`('vndb', 'galgame', ${vndb}, 'bangumi', '0'), ('vndb', 'galgame', ${vndb}, 'elsewhere', '7')`
    await sql`insert into source_same_as values ${link}`.execute(service.db)
    try {
      assert.deepEqual(await exported(), { vndb, bangumi, elsewhere: '7' })
    } finally {
      await sql`delete from source_same_as where other_external_id in ('0', '7') and external_id = ${vndb}`.execute(
        service.db,
      )
    }
  })

  it('contains no ratings of other users', async () => {
    const other = await signIn(service)
    await other.send('PUT', galgame(), { rate: 1 })
    assert.deepEqual(await exportRatings(me), [])
    assert.deepEqual(await table(), [])
  })

  it('contains all three kinds of work in one CSV table', async () => {
    await rateAll()
    const { text, headers } = await csv()
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
    const day = new Date().toISOString().slice(0, 10)
    assert.match(
      headers.get('content-disposition') ?? '',
      /^attachment; filename="mokuroku-ratings-\d{4}-\d\d-\d\d\.csv"$/,
    )
    assert.ok((headers.get('content-disposition') ?? '').includes(day.slice(0, 8)))
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(text[0], '\uFEFF')
    const rows = await table()
    const of = (kind: string) =>
      first(rows.filter(({ work_type }) => work_type === kind.toUpperCase()))
    assert.equal(rows.length, 3)
    assert.equal(of('galgame')['rate_content'], 'Two lines\nand "quotes", 漢字 😀\n')
    assert.equal(of('galgame')['rate'], '9.5')
    assert.equal(of('galgame')['is_spoiler'], 'true')
    assert.equal(of('galgame')['time_to_finish_minutes'], '3600')
    assert.equal(of('galgame')['rate_plot'], '')
    assert.equal(of('light_novel')['rate_plot'], '6.5')
    assert.equal(of('light_novel')['status_private'], 'true')
    assert.equal(of('light_novel')['rate'], '')
    assert.equal(of('manga')['time_to_finish_minutes'], '')
    assert.equal(of('manga')['is_spoiler'], 'false')
    assert.match(of('manga')['created_at'] ?? '', /Z$/)
  })

  it('contains no CSV cell that a spreadsheet executes as a formula', async () => {
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '=HYPERLINK("http://x","y")', '＝1+1']
    // Spreadsheets skip white space, and check the second line of a cell if the first is empty.
    const hidden = ['\n=1', '\n\n +1', ' =1', '  \t\n@SUM(A1)', ' ＝1']
    const harmless = ['\nA line.', ' 1 + 1 = 2']
    const written: (string | undefined)[] = []
    for (const texts of [formulas, [...hidden, ...harmless]]) {
      for (const [at, rate_content] of texts.entries())
        await me.send('PUT', galgame(at), { rate_content })
      written.push(...(await table()).map((row) => row['rate_content']))
    }
    assert.deepEqual(
      written.toSorted(),
      [...[...formulas, ...hidden].map((formula) => `'${formula}`), ...harmless].toSorted(),
    )
  })

  it('is part of the account export, with the history and the votes', async () => {
    const other = await signIn(service)
    await rateAll()
    const { data: review } = await other.send('PUT', galgame(1), { rate_content: 'Theirs.' })
    await me.send('PUT', `/v3/user/me/reviews/${review.id}/vote`, { vote: 'LIKE' })
    // Compares values with those that the user receives in JSON.
    const held: AnyJson = JSON.parse(JSON.stringify(await exportAccount(service.db, me.user.id)))
    assert.deepEqual(
      held.ratings.map(({ work_id }: AnyJson) => work_id),
      (await exportRatings(me)).map(({ work_id }) => work_id),
    )
    const drawn = held.ratings.find(({ work_type }: AnyJson) => work_type === 'MANGA')
    assert.equal(drawn.said.rate, 1)
    assert.match(drawn.created_at, /Z$/)
    assert.equal(held.rating_changes.at(-1).action, 'CREATED')
    assert.deepEqual(held.rating_changes.at(-1).fields.status, { from: null, to: 'PLAN' })
    const [vote] = held.review_votes
    assert.deepEqual(
      [held.review_votes.length, vote.rating_id, vote.work_id, vote.liked],
      [1, review.id, galgames[1], true],
    )
    assert.ok(!JSON.stringify(held).includes('Theirs.'))
  })

  it('contains each rating of a long list once and in order', async () => {
    const many = Array.from({ length: 1_203 }, (_, at) => `v${5_000_000 + at}`)
    await importRecords(
      service.db,
      'vndb',
      many.map((external_id) => ({
        kind: 'galgame',
        external_id,
        fields: { origin_title: external_id },
      })),
    )
    const file = many.map((vndb) => ({ work_type: 'galgame', external_ids: { vndb }, rate: 5 }))
    const { data } = await send({ source: 'mokuroku', dry_run: false }, file)
    assert.equal(data.counts.created, 1_203)
    assert.equal(data.rows.length, 200)
    assert.equal(data.rows_left_out, 1_003)
    const records = await exportRatings(me)
    assert.deepEqual(
      records.map(({ external_ids }) => external_ids.vndb),
      many,
    )
    assert.equal((await table()).length, 1_203)
  })

  it('requires a user-level token with status:read and a known format', async () => {
    const writing = await signIn(service, { scope: 'user:read' })
    assert.equal((await writing.send('GET', LIST_EXPORT_PATH)).code, 'AUTH_FORBIDDEN')
    assert.equal((await sendApiRequest(service.url, { path: LIST_EXPORT_PATH })).status, 401)
    const { status, fields } = await me.send('GET', `${LIST_EXPORT_PATH}?format=xml`)
    assert.deepEqual([status, fields], [422, ['format']])
    const head = await fetch(service.url + LIST_EXPORT_PATH, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${me.token}` },
    })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })
})

describeOnDatabase('a list export of many works', (engine) => {
  it('does not end at a batch of works that the catalog no longer has', async () => {
    const service = await startService({ engine, content: 'empty' })
    try {
      const { db } = service
      const me = await signIn(service)
      await sql`insert into works (id, kind) select id, 'manga' from generate_series(1, 501) id`.execute(
        db,
      )
      await sql`
        insert into withdrawn_works (id, kind, name, covers) values (501, 'manga', 'Last', '[]')`.execute(
        db,
      )
      await sql`insert into work_refs (id, kind) select id, kind from works`.execute(db)
      await sql`
        insert into ratings (account_id, work_id, kind, updated_at)
        select ${me.user.id}, id, kind, now() from works`.execute(db)
      const names = (await exportRatings(me)).map(({ work }: AnyJson) => work.name)
      assert.deepEqual(names, ['Last'])
    } finally {
      await service.close()
    }
  })
})
