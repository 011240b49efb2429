import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { sendApiRequest, signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import { deleteUserData } from '../../accounts/user-data-queries.ts'
import { queryText } from '../../db/query.ts'
import { isPartialDate } from './progress-rules.ts'

const BLANK = {
  started_on: null,
  finished_on: null,
  volumes_read: 0,
  chapters_read: 0,
  times_finished: 0,
  rereads: [],
  private_note: '',
  labels: [],
  minutes: 0,
}
const FULL = {
  started_on: '2024-02-29',
  finished_on: '2024-03',
  volumes_read: 3,
  chapters_read: 21,
  times_finished: 2,
  rereads: [{ started_on: '2025', finished_on: null }],
  private_note: 'Only for me.\nSecond line. 秘密',
  labels: ['to lend', '積読'],
  minutes: 600,
}

describeOnDatabase('progress', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let me: SignedInUser
  let path: string
  before(async () => {
    service = await startService({ engine })
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    me = await signIn(service)
    path = `/v3/user/me/progress/light-novels/${works.novel}`
  })

  const fieldsIn = ({ work_type: _type, work_id: _id, ...data }: AnyJson) => {
    const { volumes_total: _total, updated_at: _at, ...fields } = data
    return fields
  }
  const sendWith = (method: string, ifMatch: string, body?: object) =>
    sendApiRequest(service.url, {
      method,
      path,
      body,
      token: me.token,
      headers: { 'if-match': ifMatch },
    })
  const history = async () => (await me.send('GET', '/v3/user/me/rates/history')).data.items

  it('has defaults until the user records some', async () => {
    const { status, data, headers } = await me.send('GET', path)
    assert.equal(status, 200)
    assert.deepEqual(fieldsIn(data), BLANK)
    assert.equal(data.updated_at, null)
    assert.match(headers.get('etag') ?? '', /^"[\w-]+"$/)
  })

  it('stores every field, and PATCH keeps those that it omits', async () => {
    const put = await me.send('PUT', path, FULL)
    assert.deepEqual(fieldsIn(put.data), FULL)
    const patched = await me.send('PATCH', path, { volumes_read: 4, finished_on: null })
    assert.deepEqual(fieldsIn(patched.data), { ...FULL, volumes_read: 4, finished_on: null })
    assert.deepEqual((await me.send('GET', path)).data, patched.data)
    const replaced = await me.send('PUT', path, { minutes: 5 })
    assert.deepEqual(fieldsIn(replaced.data), { ...BLANK, minutes: 5 })
    assert.equal((await me.send('PUT', path, replaced.data)).status, 200)
  })

  it('leaves the rating unchanged, and stays when the rating is deleted', async () => {
    const rating = `/v3/user/me/rates/light-novels/${works.novel}`
    assert.equal((await me.send('PUT', path, FULL)).status, 200)
    assert.equal((await me.send('GET', rating)).status, 404)
    await me.send('PUT', rating, { rate: 8 })
    const { data: before } = await me.send('GET', rating)
    await me.send('PATCH', path, { minutes: 7 })
    const { data, text } = await me.send('GET', rating)
    assert.deepEqual(data, before)
    assert.ok(!text.includes('Only for me') && !text.includes('volumes_read'))
    assert.equal((await me.send('DELETE', rating)).status, 204)
    assert.equal((await me.send('GET', path)).data.private_note, FULL.private_note)
  })

  it('is included in the list of ratings on request', async () => {
    await me.send('PUT', `/v3/user/me/rates/light-novels/${works.novel}`, { rate: 8 })
    await me.send('PUT', `/v3/user/me/rates/galgames/${works.game}`, { rate: 7 })
    const { data: progress } = await me.send('PUT', path, FULL)
    const list = '/v3/user/me/rates'
    assert.ok(!(await me.send('GET', list)).text.includes('"progress"'))
    const { items } = (await me.send('GET', `${list}?include=progress`)).data
    const found = items.find(({ work_id }: AnyJson) => work_id === works.novel)
    assert.deepEqual(found.progress, progress)
    assert.equal(items.length, 2)
    assert.equal((await me.send('GET', `${list}?include=notes`)).status, 422)
  })

  it('is deleted, and deleting it again succeeds', async () => {
    await me.send('PUT', path, FULL)
    assert.equal((await me.send('DELETE', path)).status, 204)
    assert.equal((await me.send('DELETE', path)).status, 204)
    assert.deepEqual(fieldsIn((await me.send('GET', path)).data), BLANK)
    const rows = await queryText(service.db, 'select from progress where account_id = $1', [
      me.user.id,
    ])
    assert.equal(rows.length, 0)
  })

  it('changes only if If-Match names its current ETag', async () => {
    const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? ''
    const blank = tagOf(await me.send('GET', path))
    assert.equal((await sendWith('PATCH', '*', { minutes: 1 })).status, 412)
    const first = await sendWith('PATCH', blank, { minutes: 1 })
    assert.equal(first.status, 200)
    assert.notEqual(tagOf(first), blank)
    assert.equal(tagOf(await me.send('GET', path)), tagOf(first))
    for (const method of ['PATCH', 'PUT', 'DELETE']) {
      const body = method === 'DELETE' ? undefined : { minutes: 2 }
      const refused = await sendWith(method, blank, body)
      assert.deepEqual([refused.status, refused.code], [412, 'COMMON_CONFLICT'], method)
      assert.equal((await sendWith(method, `W/${tagOf(first)}`, body)).status, 412, 'weak')
    }
    assert.equal((await me.send('GET', path)).data.minutes, 1)
    assert.equal((await sendWith('PATCH', `"x", ${tagOf(first)}`, { minutes: 3 })).status, 200)
    assert.equal((await sendWith('DELETE', '*')).status, 204)
  })

  it('is changed by one of several concurrent requests with the same If-Match', async () => {
    const tag = (await me.send('PUT', path, FULL)).headers.get('etag') ?? ''
    const statuses = await Promise.all(
      [1, 2, 3, 4].map(async (minutes) => (await sendWith('PATCH', tag, { minutes })).status),
    )
    assert.deepEqual(statuses.toSorted(), [200, 412, 412, 412])
  })

  it('keeps both fields that two concurrent PATCH requests change', async () => {
    await Promise.all([
      me.send('PATCH', path, { volumes_read: 9 }),
      me.send('PATCH', path, { private_note: 'Kept.' }),
      me.send('PATCH', path, { labels: ['a'] }),
    ])
    const { data } = await me.send('GET', path)
    assert.deepEqual(fieldsIn(data), {
      ...BLANK,
      volumes_read: 9,
      private_note: 'Kept.',
      labels: ['a'],
    })
    assert.equal((await history()).length, 3)
  })

  const INVALID: [body: object, field: string][] = [
    [{ started_on: '2024-02-30' }, 'started_on'],
    [{ started_on: '2023-02-29' }, 'started_on'],
    [{ started_on: '2024-13' }, 'started_on'],
    [{ started_on: '0000' }, 'started_on'],
    [{ started_on: '9999-01-01' }, 'started_on'],
    [{ started_on: 2024 }, 'started_on'],
    [{ finished_on: '2024-1-1' }, 'finished_on'],
    [{ finished_on: '' }, 'finished_on'],
    [{ rereads: [{ started_on: '2024-04-31' }] }, 'rereads.0.started_on'],
    [{ rereads: [{ from: '2024' }] }, 'rereads.0.from'],
    [{ rereads: Array.from({ length: 51 }, () => ({})) }, 'rereads'],
    [{ private_note: 'a\0b' }, 'private_note'],
    [{ private_note: 'x'.repeat(10_001) }, 'private_note'],
    [{ private_note: null }, 'private_note'],
    [{ labels: ['x'.repeat(51)] }, 'labels.0'],
    [{ labels: ['  '] }, 'labels.0'],
    [{ labels: ['a\0'] }, 'labels.0'],
    [{ labels: Array.from({ length: 51 }, (_, index) => `l${index}`) }, 'labels'],
    [{ minutes: -1 }, 'minutes'],
    [{ minutes: 1.5 }, 'minutes'],
    [{ minutes: 1e12 }, 'minutes'],
    [{ volumes_read: '3' }, 'volumes_read'],
    [{ unknown: 1 }, 'unknown'],
  ]
  for (const [body, field] of INVALID)
    it(`rejects ${JSON.stringify(body).slice(0, 60)} and names ${field}`, async () => {
      for (const method of ['PUT', 'PATCH']) {
        const { status, fields } = await me.send(method, path, body)
        assert.deepEqual([status, fields], [422, [field]], method)
      }
      assert.deepEqual(fieldsIn((await me.send('GET', path)).data), BLANK)
    })

  it('stores a note of the maximum length, and normalizes labels', async () => {
    const private_note = '😀'.repeat(10_000)
    const { data } = await me.send('PATCH', path, {
      private_note,
      labels: [' to   lend ', 'to lend', 'e\u0301'],
    })
    assert.equal(data.private_note, private_note)
    assert.deepEqual(data.labels, ['to lend', '\u00e9'])
  })

  it('has no volumes in a galgame', async () => {
    const game = `/v3/user/me/progress/galgames/${works.game}`
    assert.equal((await me.send('PATCH', game, { volumes_read: 1 })).status, 422)
    const { data } = await me.send('PATCH', game, { minutes: 90 })
    assert.ok(!('volumes_read' in data))
  })

  it('may have at most fifty different labels in all works', async () => {
    const labels = Array.from({ length: 50 }, (_, index) => `label ${index}`)
    assert.equal((await me.send('PATCH', path, { labels })).status, 200)
    const other = `/v3/user/me/progress/mangas/${works.manga}`
    assert.equal((await me.send('PATCH', other, { labels: ['label 7'] })).status, 200)
    const refused = await me.send('PATCH', other, { labels: ['label 7', 'one more'], minutes: 3 })
    assert.deepEqual([refused.status, refused.fields], [422, ['labels']])
    assert.equal((await me.send('GET', other)).data.minutes, 0)
    const { data } = await me.send('GET', '/v3/user/me/labels')
    assert.equal(data.labels.length, 50)
    assert.deepEqual(
      data.labels.filter(({ works: count }: { works: number }) => count === 2),
      [{ label: 'label 7', works: 2 }],
    )
  })

  it('is recorded in the history, with the old and new value of each changed field', async () => {
    await me.send('PATCH', path, { minutes: 5, labels: [] })
    await me.send('PATCH', path, { minutes: 5 })
    await me.send('PATCH', path, { minutes: 6, private_note: 'New.' })
    const items = await history()
    assert.deepEqual(
      items.map(({ action, fields }: AnyJson) => [action, fields]),
      [
        ['CHANGED', { minutes: { from: 5, to: 6 }, private_note: { from: '', to: 'New.' } }],
        ['CHANGED', { minutes: { from: 0, to: 5 } }],
      ],
    )
    assert.ok(items[0].client_id)
  })

  it('belongs to one user and one kind of work', async () => {
    await me.send('PUT', path, FULL)
    const other = await signIn(service)
    assert.deepEqual(fieldsIn((await other.send('GET', path)).data), BLANK)
    for (const [method, wrong] of [
      ['GET', `/v3/user/me/progress/mangas/${works.novel}`],
      ['PATCH', `/v3/user/me/progress/mangas/${works.novel}`],
      ['GET', '/v3/user/me/progress/light-novels/999999999'],
      ['PUT', '/v3/user/me/progress/light-novels/999999999'],
      ['PUT', '/v3/user/me/progress/light-novels/0'],
    ] as const)
      assert.equal((await me.send(method, wrong, method === 'GET' ? undefined : {})).status, 404)
  })

  it('is rejected for a withdrawn work, unless the user recorded the work before', async () => {
    await me.send('PATCH', path, { minutes: 1 })
    const other = await signIn(service)
    const withdraw = (gone: boolean) =>
      queryText(service.db, 'update work_refs set withdrawn = $1 where id = $2', [
        gone,
        works.novel,
      ])
    await withdraw(true)
    try {
      assert.equal((await me.send('PATCH', path, { minutes: 2 })).status, 200)
      assert.notEqual((await other.send('PATCH', path, { minutes: 2 })).status, 200)
    } finally {
      await withdraw(false)
    }
  })

  it('is deleted with the account', async () => {
    await me.send('PUT', path, FULL)
    await service.db.transaction().execute((trx) => deleteUserData(trx, me.user.id))
    const rows = await queryText(service.db, 'select from progress where account_id = $1', [
      me.user.id,
    ])
    assert.equal(rows.length, 0)
  })
})

it('isPartialDate accepts years, months and days of the calendar', () => {
  for (const date of ['1999', '2024-12', '2024-02-29', '2000-02-29'])
    assert.ok(isPartialDate(date), date)
  for (const date of [
    '',
    '24',
    '2024-00',
    '2024-1',
    '2024-02-30',
    '1900-02-29',
    '2024-12-32',
    '2024-12-00',
    '3000',
    '２０２４',
  ])
    assert.ok(!isPartialDate(date), date)
})
