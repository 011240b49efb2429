import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { describeOnDatabase } from '#test/databases.ts'
import { sourceOf } from '#test/picture-sources.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { workTypeOf } from '../../catalog/work-types.ts'
import { toRatedMedia } from '../../http/wire/media.ts'
import { SUB_SCORES } from '../fields.ts'

describeOnDatabase('a user’s rating list', (engine) => {
  let service: TestService
  let me: SignedInUser
  /** Ratings in the order of their last change. */
  const written: { kind: string; id: number; status: string; rate: number | null }[] = []
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    const works = await sampleWorks(service.db)
    const statuses = ['GOING', 'COMPLETED', 'PLAN']
    for (const [path, kind] of [
      ['galgames', 'galgame'],
      ['light-novels', 'light_novel'],
      ['mangas', 'manga'],
    ] as const)
      for (const [index, id] of works[kind].slice(0, 5).entries()) {
        const rating = {
          status: statuses[index % 3] ?? '',
          rate: index % 2 === 0 ? index + 1 : null,
        }
        assert.equal((await me.send('PUT', `/v3/user/me/rates/${path}/${id}`, rating)).status, 200)
        written.push({ kind, id, ...rating })
      }
  })
  after(() => service.close())

  const idsOf = async (query: string) => {
    const { status, data, text } = await me.send('GET', `/v3/user/me/rates?${query}`)
    assert.equal(status, 200, text)
    return data.items.map(({ work_id }: AnyJson) => work_id)
  }
  const expected = (keep: (one: (typeof written)[number]) => boolean) =>
    written
      .filter(keep)
      .map(({ id }) => id)
      .toReversed()

  it('contains ratings with their works, most recently changed first', async () => {
    assert.deepEqual(
      await idsOf('page_size=100'),
      expected(() => true),
    )
    const { data } = await me.send('GET', '/v3/user/me/rates?page_size=1')
    const [item] = data.items
    assert.equal(item.work_type, 'MANGA')
    assert.equal(item.work.id, item.work_id)
    assert.ok(item.work.name.length > 0)
    assert.ok('trans_name' in item.work && 'image' in item.work)
    const manga = `/v3/user/me/rates/mangas/${item.work_id}`
    const { data: record } = await me.send('GET', manga)
    const { id, title, cover, ...shared } = item
    assert.deepEqual(
      [id, item.rate_id, item.last_activity_at],
      [item.work_id, record.id, record.updated_at],
    )
    assert.equal(title, item.work.trans_name ?? item.work.name)
    assert.equal(cover?.src, item.work.image?.url)
    for (const name of Object.keys(record).filter(
      (field) => field !== 'id' && field !== 'rate_content',
    ))
      assert.deepEqual(shared[name], record[name], name)
    const before = await idsOf('page_size=100')
    const last = before.at(-1)
    await me.send('PUT', `/v3/user/me/rates/galgames/${last}`, { rate_content: 'Again.' })
    assert.deepEqual(await idsOf('page_size=100'), [last, ...before.slice(0, -1)])
    written.push(...written.splice(0, 1))
  })

  it('returns each rating exactly as GET returns it', async () => {
    const user = await signIn(service)
    const works = await sampleWorks(service.db)
    const text = 'Quotes " and \\, a line\nand\ttabs, 日本語 and 😀.'
    const scores = (kind: WorkKind) =>
      Object.fromEntries(SUB_SCORES[kind].map((name, index) => [name, 1.5 + index]))
    for (const kind of WORK_KINDS)
      for (const body of [
        { status: null, rate: 7, rate_content: text, is_spoiler: true, ...scores(kind) },
        { status: 'PLAN', status_private: true },
      ]) {
        const id = works[kind]['rate' in body ? 0 : 1]
        const record = `/v3/user/me/rates/${KINDS[kind].path}/${id}`
        assert.equal((await user.send('PUT', record, body)).status, 200)
        const { data: saved } = await user.send('GET', record)
        const { text: response, data } = await user.send('GET', '/v3/user/me/rates?page_size=1')
        const { work } = data.items[0]
        const { id: rate_id, ...fields } = saved
        const expected = {
          work_type: workTypeOf(kind),
          work_id: id,
          work,
          id,
          ...fields,
          rate_content: saved.rate_content || null,
          rate_id,
          title: work.trans_name ?? work.name,
          // Picture ids derive from the URL at the source, not from the URL in the response.
          cover: work.image && {
            ...toRatedMedia(work.image),
            id: toRatedMedia({ ...work.image, url: sourceOf(work.image.url) }).id,
          },
          dimensions: SUB_SCORES[kind].flatMap((name) =>
            saved[name] === null ? [] : [{ key: name.replace('rate_', ''), score: saved[name] }],
          ),
          last_activity_at: saved.updated_at,
        }
        assert.deepEqual(data.items[0], expected)
        // The comparison includes the order of members and the format of numbers.
        const afterWork = JSON.stringify({ ...expected, work: 0 }).split('"work":0,')[1] ?? '?'
        assert.ok(response.includes(afterWork), response)
      }
  })

  it('filters by status, by kind of work and by whether there is a score', async () => {
    assert.deepEqual(
      await idsOf('page_size=100&status=PLAN'),
      expected(({ status }) => status === 'PLAN'),
    )
    for (const name of ['LIGHT_NOVEL', 'light_novel'])
      assert.deepEqual(
        await idsOf(`page_size=100&work_type=${name}`),
        expected(({ kind }) => kind === 'light_novel'),
      )
    for (const [spellings, isScored] of [
      [['true', 'True', 'TRUE', '1'], true],
      [['false', 'False', 'FALSE', '0'], false],
    ] as const)
      for (const spelling of spellings)
        assert.deepEqual(
          await idsOf(`page_size=100&scored=${spelling}`),
          expected(({ rate }) => (rate !== null) === isScored),
          spelling,
        )
    assert.deepEqual(
      await idsOf('page_size=100&scored=&status=&work_type='),
      await idsOf('page_size=100'),
    )
    assert.deepEqual(
      await idsOf('page_size=100&scored=true&status=GOING&work_type=manga'),
      expected(({ rate, status, kind }) => rate !== null && status === 'GOING' && kind === 'manga'),
    )
    assert.deepEqual(await idsOf('status=DROPPED'), [])
  })

  it('has pages of ten ratings by default, each with its page number and the totals', async () => {
    const all = await idsOf('page_size=100')
    const first = (await me.send('GET', '/v3/user/me/rates')).data
    assert.deepEqual(first.meta, {
      page: 1,
      page_size: 10,
      item_count: 10,
      total_items: 15,
      total_pages: 2,
    })
    assert.deepEqual(await idsOf('page=2'), all.slice(10))
    assert.deepEqual(await idsOf('page=3&page_size=4'), all.slice(8, 12))
    const beyondEnd = (await me.send('GET', '/v3/user/me/rates?page=1000000&page_size=100')).data
    assert.deepEqual(
      [beyondEnd.items, beyondEnd.meta.total_items, beyondEnd.meta.item_count],
      [[], 15, 0],
    )
  })

  it('orders ratings that changed at the same time by work id, highest first', async () => {
    await sql`update ratings set updated_at = '2026-01-01' where account_id = ${me.user.id}`.execute(
      service.db,
    )
    // The first page fixes the order of later pages.
    const first = await idsOf('page_size=4')
    const pages = await Promise.all([2, 3, 4].map((page) => idsOf(`page=${page}&page_size=4`)))
    const ids = written.map(({ id }) => id).toSorted((a, b) => b - a)
    assert.deepEqual([first, ...pages].flat(), ids)
  })

  it('returns 422 for an invalid page, status or kind, and names the invalid parameter', async () => {
    for (const [query, field] of [
      ['page=0', 'page'],
      ['page=-1', 'page'],
      ['page=1.5', 'page'],
      ['page=x', 'page'],
      ['page=99999999999999999999', 'page'],
      ['page_size=0', 'page_size'],
      ['page_size=101', 'page_size'],
      ['status=GONE', 'status'],
      ['status=%00', 'status'],
      ['work_type=anime', 'work_type'],
      ['scored=maybe', 'scored'],
    ] as const) {
      const { status, fields } = await me.send('GET', `/v3/user/me/rates?${query}`)
      assert.deepEqual([status, fields], [422, [field]], query)
    }
    assert.equal((await me.send('GET', '/v3/user/me/rates?anything=else&page=1')).status, 200)
    const far = await me.send('GET', '/v3/user/me/rates?page=9007199254740991&page_size=100')
    assert.deepEqual([far.status, far.data?.items], [200, []])
  })

  it('has a history that contains every change, newest first', async () => {
    const novel = first((await sampleWorks(service.db)).light_novel.slice(5))
    const path = `/v3/user/me/rates/light-novels/${novel}`
    await me.send('PUT', path, { rate: 7, rate_content: 'One.' })
    await me.send('PUT', path, { rate: 7 })
    await me.send('PUT', path, {})
    await me.send('PUT', path, { rate: 8.5, status: 'COMPLETED', status_private: true })
    await me.send('PUT', path, { rate: null })
    await me.send('DELETE', path)
    await me.send('DELETE', path)
    const { data } = await me.send('GET', `${path}/history`)
    assert.deepEqual(
      data.items.map(({ action, fields }: AnyJson) => [action, fields]),
      [
        [
          'DELETED',
          {
            status: { from: 'COMPLETED', to: null },
            status_private: { from: true, to: false },
            rate_content: { from: 'One.', to: '' },
          },
        ],
        ['CHANGED', { rate: { from: 8.5, to: null } }],
        [
          'CHANGED',
          {
            rate: { from: 7, to: 8.5 },
            status: { from: 'GOING', to: 'COMPLETED' },
            status_private: { from: false, to: true },
          },
        ],
        [
          'CREATED',
          {
            rate: { from: null, to: 7 },
            rate_content: { from: '', to: 'One.' },
            status: { from: null, to: 'GOING' },
          },
        ],
      ],
    )
    assert.equal(data.meta.total_items, 4)
    const [last] = data.items
    assert.equal(last.work_id, novel)
    assert.equal(last.work.id, novel)
    const app = await service.db
      .selectFrom('apps')
      .select('client_id')
      .where('client_name', '=', 'Test')
      .execute()
    assert.ok(app.some(({ client_id }) => client_id === last.client_id))
    const whole = (await me.send('GET', '/v3/user/me/rates/history?page_size=3')).data
    assert.deepEqual(whole.items, data.items.slice(0, 3))
    assert.equal(whole.meta.total_items, 4 + 15 + 1)
    const mangas = path.replace('light-novels', 'mangas')
    assert.equal((await me.send('GET', `${mangas}/history`)).data.meta.total_items, 0)
    assert.equal(
      (await (await signIn(service)).send('GET', `${path}/history`)).data.meta.total_items,
      0,
    )
  })
})
