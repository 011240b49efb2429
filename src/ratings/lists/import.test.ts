import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import {
  readFixture,
  deleteAllRatings,
  LIST_IMPORT_PATH,
  createImporter,
  outcomesById,
  exportRatings,
  vndbList,
  findWorkOfSource,
  type Importer,
} from '#test/list-imports.ts'

const APPLY = { dry_run: false }

describeOnDatabase('a list import', (engine) => {
  let service: TestService
  let me: SignedInUser
  let send: Importer
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    send = createImporter(service, me)
    await importRecords(
      service.db,
      'ranobedb',
      ['21479', '21480', '21481'].map((mal) => ({
        kind: 'light_novel',
        external_id: `9${mal}`,
        same_as: [{ source: 'mal', external_id: mal }],
        fields: { name: `小説 ${mal}` },
      })),
    )
  })
  after(() => service.close())
  beforeEach(() => deleteAllRatings(service, me))

  /** Returns the stored ratings, keyed by their id at a source. */
  const recorded = async (source: string) =>
    Object.fromEntries(
      (await exportRatings(me)).map(({ external_ids, ...record }: AnyJson) => [
        external_ids[source],
        record,
      ]),
    )

  it('imports status, vote, privacy, dates, notes, labels and length votes from VNDB', async () => {
    const file = await readFixture('vndb-list.xml')
    const { status, data } = await send({ source: 'vndb', ...APPLY }, file)
    assert.equal(status, 200)
    assert.deepEqual(outcomesById(data), {
      v4: 'CREATED',
      v17: 'CREATED',
      v7: 'CREATED',
      v11: 'CREATED',
      v12: 'CREATED',
      v33: 'CREATED',
      v36: 'SKIPPED',
      v97: 'CREATED',
      v987654321: 'UNMATCHED',
    })
    assert.deepEqual(data.counts, {
      total: 9,
      created: 7,
      updated: 0,
      unchanged: 0,
      kept: 0,
      unmatched: 1,
      invalid: 0,
      skipped: 1,
    })
    assert.deepEqual(remarksOf(data), {
      'Not imported: added': 9,
      'Not imported: modified': 1,
      'Not imported: release': 1,
      'Not imported: vote timestamp': 2,
      'Not imported: length-votes date': 2,
      'Not imported: length-votes speed': 2,
    })
    const [first] = data.rows
    assert.deepEqual(first, {
      row: 1,
      line: 18,
      external_id: 'v4',
      title: 'Clannad',
      outcome: 'CREATED',
      work_type: 'GALGAME',
      work_id: await findWorkOfSource(service, 'vndb', 'v4'),
      changes: {
        status: { from: null, to: 'COMPLETED' },
        rate: { from: null, to: 9.5 },
        started_on: { from: null, to: '2010-12-24' },
        finished_on: { from: null, to: '2011-03-12' },
        private_note: { from: '', to: 'Only for me: <3' },
        labels: { from: [], to: ['Rainy & quiet'] },
        minutes: { from: 0, to: 360_000 },
      },
    })
    const records = await recorded('vndb')
    const stored = (id: string) => {
      const { status, rate, status_private, rate_content } = records[id]
      return [status, rate, status_private, rate_content]
    }
    assert.deepEqual(stored('v4'), ['COMPLETED', 9.5, false, ''])
    assert.deepEqual(stored('v17'), ['GOING', null, false, ''])
    assert.deepEqual(stored('v7'), ['PLAN', null, true, ''])
    assert.deepEqual(stored('v11'), ['COMPLETED', 8, false, ''])
    assert.deepEqual(stored('v12'), ['ON_HOLD', null, false, ''])
    assert.deepEqual(stored('v33'), ['DROPPED', null, false, ''])
    assert.equal(Object.keys(records).length, 6)
  })

  it('imports games and books from Bangumi with their public comments', async () => {
    const { status, data } = await send(
      { source: 'bangumi', ...APPLY },
      await readFixture('bangumi-collections.json'),
    )
    assert.equal(status, 200)
    assert.deepEqual(outcomesById(data), {
      13: 'CREATED',
      495: 'CREATED',
      499: 'CREATED',
      8: 'SKIPPED',
      999999999: 'UNMATCHED',
    })
    assert.deepEqual(remarksOf(data), { 'Not imported: updated_at': 4 })
    const records = await recorded('bangumi')
    const stored = (id: string) => {
      const { work_type, status, rate, status_private, rate_content } = records[id]
      return [work_type, status, rate, status_private, rate_content]
    }
    assert.deepEqual(stored('13'), ['GALGAME', 'COMPLETED', 9, false, '静かな終わり。\n二行目 😀'])
    assert.deepEqual(stored('495'), ['MANGA', 'GOING', null, true, ''])
    assert.deepEqual(stored('499'), ['LIGHT_NOVEL', 'PLAN', null, false, ''])
  })

  it('accepts a Bangumi list as pages or as items, and reports missing pages', async () => {
    const page: AnyJson = JSON.parse((await readFixture('bangumi-collections.json')).toString())
    const pages = page.data.map((item: AnyJson, offset: number) => ({
      data: [item],
      total: 5,
      limit: 1,
      offset,
    }))
    const counts = (await send({ source: 'bangumi' }, page)).data.counts
    assert.equal(counts.created, 3)
    assert.deepEqual((await send({ source: 'bangumi' }, pages)).data.counts, counts)
    assert.deepEqual((await send({ source: 'bangumi' }, page.data)).data.counts, counts)
    const part = (await send({ source: 'bangumi' }, pages.slice(0, 2))).data
    assert.equal(
      remarksOf(part)['The file contains 2 of 5 collections. Import the other pages too'],
      1,
    )
  })

  it('imports a list from MyAnimeList, whether or not it is compressed', async () => {
    const file = await readFixture('mal-manga-list.xml')
    const dry = await send({ source: 'mal' }, file)
    const { status, data } = await send(
      { source: 'mal', ...APPLY },
      gzipSync(file),
      'application/gzip',
    )
    assert.equal(status, 200)
    assert.deepEqual({ ...data, dry_run: true }, dry.data)
    assert.deepEqual(outcomesById(data), {
      21479: 'CREATED',
      21480: 'CREATED',
      21481: 'CREATED',
      2: 'UNMATCHED',
    })
    assert.equal(data.rows[0].title, 'A novel <everybody> reads')
    assert.deepEqual(remarksOf(data), {})
    const records = await recorded('mal')
    const { started_on, volumes_read, times_finished, private_note } = records['21479'].progress
    assert.deepEqual(
      [started_on, volumes_read, times_finished, private_note],
      ['2012-01-01', 22, 2, 'Lent to a friend'],
    )
    assert.deepEqual(
      ['21479', '21480', '21481'].map((id) => [
        records[id].status,
        records[id].rate,
        records[id].rate_content,
      ]),
      [
        ['COMPLETED', 9, ''],
        ['PLAN', null, ''],
        ['ON_HOLD', 7, ''],
      ],
    )
  })

  it('is a dry run by default and stores nothing', async () => {
    const file = await readFixture('vndb-list.xml')
    const changes = async () =>
      (
        await sql<{ changes: number }>`select count(*) as changes from rating_changes`.execute(
          service.db,
        )
      ).rows
    const before = await changes()
    for (const query of [{}, { dry_run: true }, { dry_run: true, overwrite: true }]) {
      const { status, data } = await send({ source: 'vndb', ...query }, file)
      assert.equal(status, 200)
      assert.equal(data.dry_run, true)
      assert.equal(data.counts.created, 7)
    }
    assert.deepEqual(await exportRatings(me), [])
    assert.deepEqual(await changes(), before)
  })

  it('keeps stored values unless `overwrite` is set, and always keeps values that the file does not contain', async () => {
    const clannad = `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v4')}`
    const mine = {
      status: 'DROPPED',
      rate: 3,
      rate_music: 10,
      rate_content: 'Mine.',
      is_spoiler: true,
      time_to_finish_minutes: 600,
    }
    await me.send('PUT', clannad, mine)
    await me.send(
      'PUT',
      `/v3/user/me/rates/galgames/${await findWorkOfSource(service, 'vndb', 'v17')}`,
      { status: 'GOING' },
    )
    const file = await readFixture('vndb-list.xml')

    const report = (await send({ source: 'vndb', ...APPLY }, file)).data
    assert.equal(outcomesById(report)['v4'], 'UPDATED', 'progress is filled in')
    assert.deepEqual(report.rows[0].differences, {
      status: { from: 'DROPPED', to: 'COMPLETED' },
      rate: { from: 3, to: 9.5 },
    })
    assert.equal(outcomesById(report)['v17'], 'UNCHANGED')
    const { data: before } = await me.send('GET', clannad)
    for (const [field, value] of Object.entries(mine)) assert.equal(before[field], value)

    const over = (await send({ source: 'vndb', ...APPLY, overwrite: true }, file)).data
    assert.equal(over.overwrite, true)
    assert.deepEqual(over.rows[0].changes, {
      status: { from: 'DROPPED', to: 'COMPLETED' },
      rate: { from: 3, to: 9.5 },
    })
    assert.deepEqual(over.counts.unchanged, 6)
    const { data: now } = await me.send('GET', clannad)
    for (const [field, value] of Object.entries({ ...mine, status: 'COMPLETED', rate: 9.5 }))
      assert.equal(now[field], value)
    assert.ok(now.updated_at > before.updated_at)
    assert.equal(now.id, before.id)

    const repeated = (await send({ source: 'vndb', ...APPLY, overwrite: true }, file)).data
    assert.equal(repeated.counts.unchanged, 7)
    assert.deepEqual((await me.send('GET', clannad)).data, now)
  })

  it('never makes a private rating public, and adds a default status only to new ratings', async () => {
    const galgames = '/v3/user/me/rates/galgames'
    const [clannad, fate] = [
      await findWorkOfSource(service, 'vndb', 'v4'),
      await findWorkOfSource(service, 'vndb', 'v11'),
    ]
    await me.send('PUT', `${galgames}/${clannad}`, { status_private: true })
    await me.send('PUT', `${galgames}/${fate}`, { status: 'DROPPED' })
    await send({ source: 'vndb', ...APPLY, overwrite: true }, await readFixture('vndb-list.xml'))
    await send(
      { source: 'bangumi', ...APPLY, overwrite: true },
      await readFixture('bangumi-collections.json'),
    )
    assert.equal((await me.send('GET', `${galgames}/${clannad}`)).data.status_private, true)
    const { data } = await me.send('GET', `${galgames}/${fate}`)
    assert.deepEqual([data.status, data.rate], ['DROPPED', 8])
  })

  it('imports one row per work and reports the work’s other rows', async () => {
    const row = (id: string, vote: string) =>
      `<vn id="${id}"><title>T</title><vote>${vote}</vote></vn>`
    const rows = [row('v4', '11'), row('v4', '8'), row('v4', '9')]
    const { data } = await send({ source: 'vndb', ...APPLY }, vndbList(rows))
    assert.deepEqual(
      data.rows.map(({ outcome, reason }: AnyJson) => [outcome, reason]),
      [
        ['INVALID', 'rate: must be a number from 1 to 10 with at most one decimal, such as 8.5'],
        ['CREATED', undefined],
        ['SKIPPED', 'Same work as line 3, which is used instead'],
      ],
    )
    assert.equal((await recorded('vndb'))['v4'].rate, 8)
  })

  it('imports only one of two rows that identify the same work by different ids', async () => {
    const twice = [
      { work_type: 'galgame', external_ids: { vndb: 'v4' }, rate: 7 },
      { work_type: 'galgame', external_ids: { bangumi: '13' }, rate: 2 },
    ]
    const { data } = await send({ source: 'mokuroku', ...APPLY }, twice)
    assert.deepEqual(
      data.rows.map(({ outcome }: AnyJson) => outcome),
      ['CREATED', 'SKIPPED'],
    )
    assert.equal((await recorded('vndb'))['v4'].rate, 7)
  })

  it('identifies a work by a source’s own id in preference to an id stated by another source', async () => {
    await sql`insert into source_same_as values ('vndb', 'galgame', 'v17', 'bangumi', '777001')`.execute(
      service.db,
    )
    try {
      const row = { work_type: 'galgame', external_ids: { bangumi: '777001', vndb: 'v4' }, rate: 7 }
      const { data } = await send({ source: 'mokuroku' }, [row])
      assert.equal(data.rows[0].work_id, await findWorkOfSource(service, 'vndb', 'v4'))
      const { bangumi } = row.external_ids
      const alone = await send({ source: 'mokuroku' }, [{ ...row, external_ids: { bangumi } }])
      assert.equal(alone.data.rows[0].work_id, await findWorkOfSource(service, 'vndb', 'v17'))
    } finally {
      await sql`delete from source_same_as where other_external_id = '777001'`.execute(service.db)
    }
  })

  it('skips invalid rows with a reason and imports the others', async () => {
    const SCORE = /^rate: must be a number from 1 to 10 with at most one decimal, such as 8\.5$/
    const items: [field: object, reason: RegExp | undefined][] = [
      [{ rate: '10.5' }, SCORE],
      [{ rate: 11 }, SCORE],
      [{ rate: 7.55 }, SCORE],
      [{ rate: '7' }, SCORE],
      [{ type: 6 }, /^type: /],
      [{ type: 'constructor' }, /^type: /],
      [{ subject_type: 5 }, /^subject_type: /],
      [{ subject_type: 'constructor' }, /^subject_type: /],
      [{ subject_id: '13' }, /^subject_id: /],
      [{ subject_id: 0 }, /^subject_id: /],
      [{ subject_id: 1e300 }, /^subject_id: /],
      [{ comment: 'a\0b' }, /^rate_content: must not contain NUL/],
      [{ comment: '\ud800' }, /^rate_content: must not contain NUL/],
      [
        { comment: '長'.repeat(5_001) },
        /^rate_content: must have at most 5000 characters, not 5001$/,
      ],
      [{ comment: 5 }, /^rate_content: must be a string$/],
      [{ private: 'yes' }, /^status_private: must be true or false$/],
      [{ comment: '😀'.repeat(5_000) }, undefined],
    ]
    const good = { subject_id: 13, subject_type: 4, type: 2, rate: 5 }
    const rows = [...items.map(([field]) => ({ ...good, ...field })), null, 7, [], 'x']
    const { data } = await send({ source: 'bangumi', ...APPLY }, rows)
    for (const [index, [, reason]] of items.entries())
      if (reason) {
        assert.equal(data.rows[index].outcome, 'INVALID', JSON.stringify(data.rows[index]))
        assert.match(data.rows[index].reason, reason)
      }
    assert.equal(data.counts.invalid, items.length - 1 + 4)
    assert.equal(data.counts.created, 1)
  })

  it('rejects rows with more than fifty fields without validating them', async () => {
    const record = {
      work_type: 'GALGAME',
      work_id: await findWorkOfSource(service, 'vndb', 'v4'),
      status: 'PLAN',
    }
    const rowOf = (fields: number) => ({
      ...record,
      ...Object.fromEntries(
        Array.from({ length: fields - Object.keys(record).length }, (_, index) => [
          `unknown_${index}`,
          1,
        ]),
      ),
    })
    const { data } = await send({ source: 'mokuroku' }, [rowOf(50), rowOf(51)])
    assert.doesNotMatch(data.rows[0].reason ?? '', /fields/)
    assert.match(data.rows[1].reason, /must have at most 50 fields$/)
    assert.equal(data.rows[1].outcome, 'INVALID')
  })

  it('appears in the history with the app that sent it', async () => {
    await send({ source: 'vndb', ...APPLY }, await readFixture('vndb-list.xml'))
    const { data } = await me.send('GET', '/v3/user/me/rates/history?page_size=6')
    for (const { action, fields, client_id } of data.items) {
      // A row with only labels creates no rating.
      assert.equal(action, 'status' in fields ? 'CREATED' : 'CHANGED')
      assert.match(client_id, /^mk_/)
    }
  })

  it('is also available under /api/v3/open', async () => {
    const there = createImporter(service, me, '/api/v3/open/user/me/rates/import')
    const { status, data } = await there({ source: 'vndb' }, await readFixture('vndb-list.xml'))
    assert.equal(status, 200)
    assert.equal(data.counts.created, 7)
  })

  it('requires a user-level token with status:write', async () => {
    const reading = createImporter(service, await signIn(service, { scope: 'status:read' }))
    assert.equal((await reading({ source: 'vndb' }, vndbList([]))).code, 'AUTH_FORBIDDEN')
    const response = await fetch(`${service.url}${LIST_IMPORT_PATH}?source=vndb`, {
      method: 'POST',
    })
    assert.equal(response.status, 401)
  })
})

const remarksOf = ({
  remarks,
}: {
  remarks: { remark: string; count: number }[]
}): Record<string, number> =>
  Object.fromEntries(remarks.map(({ remark, count }) => [remark, count]))
