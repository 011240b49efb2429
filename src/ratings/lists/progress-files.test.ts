import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { importRecords } from '#test/catalog.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import {
  createImporter,
  deleteAllRatings,
  findWorkOfSource,
  LIST_EXPORT_PATH,
  readFixture,
  vndbList,
  type Importer,
} from '#test/list-imports.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'

const APPLY = { dry_run: false }

const NOVEL = {
  started_on: '2024',
  finished_on: '2024-02-29',
  volumes_read: 3,
  chapters_read: 21,
  times_finished: 2,
  rereads: [{ started_on: '2025', finished_on: null }],
  private_note: 'Line one.\nLine "two", 秘密 😀',
  labels: ['to lend, maybe', '積読'],
  minutes: 600,
}
const GAME = { started_on: '2020-05', labels: ['=1+1'], minutes: 90 }

describeOnDatabase('progress in a file', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let me: SignedInUser
  let send: Importer
  before(async () => {
    service = await shareService(engine)
    works = await worksOfEachKind(service)
    await importRecords(service.db, 'ranobedb', [
      {
        kind: 'light_novel',
        external_id: '921479',
        same_as: [{ source: 'mal', external_id: '21479' }],
        fields: { name: '小説' },
      },
    ])
  })
  after(() => service.close())
  beforeEach(async () => {
    me = await signIn(service)
    send = createImporter(service, me)
  })

  const pathOf = (kind: string, id: number) => `/v3/user/me/progress/${kind}/${id}`
  const exported = async () => {
    const { data } = await me.send('GET', LIST_EXPORT_PATH)
    const { exported_at: _at, ratings, progress } = data
    const stable = ratings.map(
      ({ id: _id, created_at: _created, updated_at: _updated, ...rest }: AnyJson) => rest,
    )
    return { ratings: stable, progress }
  }

  it('restores everything that an export contains into an empty account', async () => {
    await me.send('PUT', `/v3/user/me/rates/light-novels/${works.novel}`, {
      rate: 8,
      status: 'GOING',
    })
    await me.send('PUT', pathOf('light-novels', works.novel), NOVEL)
    await me.send('PUT', pathOf('galgames', works.game), GAME)
    const before = await exported()
    assert.equal(before.ratings.length, 1)
    assert.equal(before.progress.length, 1)
    const file = (await me.send('GET', LIST_EXPORT_PATH)).body
    me = await signIn(service)
    send = createImporter(service, me)
    const { data } = await send({ source: 'mokuroku', ...APPLY }, file)
    assert.deepEqual([data.counts.created, data.counts.total], [2, 2])
    assert.deepEqual(await exported(), before)
    const again = await send({ source: 'mokuroku', ...APPLY }, file)
    assert.deepEqual(again.data.counts.unchanged, 2)
    assert.equal((await me.send('GET', `/v3/user/me/rates/galgames/${works.game}`)).status, 404)
  })

  it('is exported to a table, with labels as lines', async () => {
    await me.send('PUT', pathOf('light-novels', works.novel), NOVEL)
    const { text } = await me.send('GET', LIST_EXPORT_PATH)
    assert.ok(text.includes('"progress":[{'))
    const response = await fetch(`${service.url}${LIST_EXPORT_PATH}?format=csv`, {
      headers: { authorization: `Bearer ${me.token}` },
    })
    const csv = await response.text()
    assert.match(csv, /,started_on,finished_on,.*,labels,minutes\r\n/)
    assert.ok(csv.includes('to lend, maybe\n積読'))
    assert.ok(csv.includes('2024-02-29'))
  })

  it('fills in only fields that the user has not recorded, and reports the differences', async () => {
    const id = await findWorkOfSource(service, 'vndb', 'v4')
    const path = pathOf('galgames', id)
    await me.send('PUT', path, { started_on: '2009', private_note: 'Mine.' })
    const file = await readFixture('vndb-list.xml')
    const dry = (await send({ source: 'vndb' }, file)).data.rows[0]
    const row = (await send({ source: 'vndb', ...APPLY }, file)).data.rows[0]
    assert.deepEqual(dry, row)
    assert.deepEqual(row.differences, {
      started_on: { from: '2009', to: '2010-12-24' },
      private_note: { from: 'Mine.', to: 'Only for me: <3' },
    })
    const { data } = await me.send('GET', path)
    assert.deepEqual(
      [data.started_on, data.finished_on, data.private_note, data.labels],
      ['2009', '2011-03-12', 'Mine.', ['Rainy & quiet']],
    )
    const kept = (await send({ source: 'vndb', ...APPLY }, file)).data.rows[0]
    assert.deepEqual(
      [kept.outcome, Object.keys(kept.differences)],
      ['KEPT', ['started_on', 'private_note']],
    )
    await send({ source: 'vndb', ...APPLY, overwrite: true }, file)
    assert.equal((await me.send('GET', path)).data.private_note, 'Only for me: <3')
  })

  it('is one entry of the history with the rating of the row', async () => {
    await send({ source: 'vndb', ...APPLY }, await readFixture('vndb-list.xml'))
    const id = await findWorkOfSource(service, 'vndb', 'v4')
    const { items } = (await me.send('GET', `/v3/user/me/rates/galgames/${id}/history`)).data
    assert.equal(items.length, 1)
    assert.deepEqual([items[0].action, items[0].fields.started_on.to], ['CREATED', '2010-12-24'])
  })

  it('is named in a remark if it does not fit', async () => {
    const rows = [
      '<vn id="v4"><title>T</title><vote>8</vote><started>2010-02-30</started></vn>',
      `<vn id="v17"><title>T</title><vote>8</vote><notes>${'x'.repeat(10_001)}</notes></vn>`,
    ]
    const { data } = await send({ source: 'vndb', ...APPLY }, vndbList(rows))
    assert.equal(data.counts.created, 2)
    assert.deepEqual(data.remarks, [
      { remark: 'Not imported: started', count: 1 },
      { remark: 'Not imported: notes', count: 1 },
    ])
    await deleteAllRatings(service, me)
  })

  it('is named in a remark if this service does not know it', async () => {
    const remarksOn = async (source: string, file: string | object) =>
      (await send({ source }, file)).data.remarks.map(({ remark }: AnyJson) => remark)
    const labels = [
      [2, 'Finished'],
      [3, 'Stalled'],
      [7, 'Voted'],
      [8, 'New'],
    ].map(([id, label]) => `<label id="${id}" label="${label}" />`)
    const novel = (inner: string) => `<vn id="v4"><title>T</title><vote>8</vote>${inner}</vn>`
    assert.deepEqual(
      await remarksOn(
        'vndb',
        vndbList([novel(`${labels.join('')}<mood>x</mood><blank/><owned by="me"/>`)]),
      ),
      ['label: Stalled', 'label: New', 'mood', 'owned'].map((name) => `Not imported: ${name}`),
    )
    const many = Array.from({ length: 60 }, (_, index) => `<f${index}>x</f${index}>`).join('')
    const remarks = await remarksOn('vndb', vndbList([novel(many)]))
    assert.deepEqual([remarks.length, remarks.at(-1)], [51, 'Not imported: …'])
    assert.deepEqual(
      await remarksOn(
        'mal',
        '<myanimelist><manga><manga_mangadb_id>21479</manga_mangadb_id><my_status>Reading</my_status><my_discuss>YES</my_discuss><my_priority>Low</my_priority><my_sns>allow</my_sns><my_mood>x</my_mood><my_storage/></manga></myanimelist>',
      ),
      ['Not imported: my_sns', 'Not imported: my_mood'],
    )
    assert.deepEqual(
      await remarksOn('bangumi', [
        { subject_id: 13, subject_type: 4, type: 2, rate: 9, mood: 'x', empty: null, none: [] },
      ]),
      ['Not imported: mood'],
    )
  })

  it('is reported as a difference if it has a label beyond the maximum', async () => {
    const labels = Array.from({ length: 50 }, (_, index) => `label ${index}`)
    await me.send('PATCH', pathOf('light-novels', works.novel), { labels })
    const rows = ['<vn id="v4"><title>T</title><vote>8</vote><label id="11" label="new" /></vn>']
    const { data } = await send({ source: 'vndb', ...APPLY }, vndbList(rows))
    assert.deepEqual(data.rows[0].differences, { labels: { from: [], to: ['new'] } })
    assert.equal((await me.send('GET', '/v3/user/me/labels')).data.labels.length, 50)
  })

  it('is rejected if it is invalid in an export of this service', async () => {
    const row = {
      work_type: 'GALGAME',
      work_id: works.game,
      progress: { started_on: '2024-02-30' },
    }
    const { data } = await send({ source: 'mokuroku', ...APPLY }, { progress: [row] })
    assert.equal(data.rows[0].outcome, 'INVALID')
    assert.match(data.rows[0].reason, /^progress\.started_on: must be a year/)
    for (const progress of [null, [], 'x', { minutes: -1 }, { unknown: 1 }])
      assert.equal(
        (await send({ source: 'mokuroku', ...APPLY }, [{ ...row, progress }])).data.rows[0].outcome,
        'INVALID',
      )
  })
})
