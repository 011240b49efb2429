import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { requestCollections } from '#test/collections.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { signIn, type AnyJson, type SignedInUser } from '#test/user-api.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../accounts/ban-queries.ts'
import { deleteAccount } from '../accounts/deletion-queries.ts'
import { queryText } from '../db/query.ts'
import { putItem } from '../collections/items/item-write-queries.ts'
import { createCollection } from '../collections/queries.ts'
import { getProfileSettings, saveProfileSettings } from './queries.ts'

const MINE = '/v3/user/me/public-profile'
const ALL = { list: true, statistics: true, reviews: true, collections: true }
const PARTS = ['', '/list', '/statistics', '/reviews', '/collections']

describeOnDatabase('a public profile', (engine) => {
  let service: TestService
  let me: SignedInUser
  let reading: string
  let full: string
  let novel: number
  let manga: number
  let adult: number
  let names = 0
  before(async () => {
    service = await shareService(engine)
    me = await signIn(service)
    reading = await service.token('catalog:read')
    full = await service.token('catalog:full')
    const works = await sampleWorks(service.db)
    novel = first(works.light_novel)
    manga = first(works.manga)
    adult = first((await sampleWorks(service.db, true)).galgame)
  })
  after(() => service.close())

  const get = (path: string, token = reading, base = '/api/v3/open') =>
    requestCollections<AnyJson>(service, `${base}/profiles/${path}`, token)
  const choose = (change: object) => me.send('PUT', MINE, change)
  let name: string
  beforeEach(() => {
    name = `reader-of-${String.fromCodePoint(97 + (names += 1))}`
  })

  /** Creates a user with a private, an nsfw and a public rating, and collections of each kind. */
  async function user() {
    const [id = 0] = await createAccounts(service.db, 1)
    const saveRating = (
      kind: 'light_novel' | 'manga' | 'galgame',
      workId: number,
      change: object,
    ) => writeRating(service.db, id, { kind, id: workId }, change)
    await saveRating('light_novel', novel, {
      status: 'COMPLETED',
      rate: 8,
      rate_content: 'Shown to all.',
    })
    await saveRating('manga', manga, {
      status: 'GOING',
      rate: 3,
      rate_content: 'Secret',
      status_private: true,
    })
    await saveRating('galgame', adult, {
      status: 'PLAN',
      rate: 5,
      rate_content: 'Adult works.',
      is_spoiler: true,
    })
    for (const [title, is_private, kind, work] of [
      ['Open', false, 'light_novel', novel],
      ['Hidden', true, 'light_novel', novel],
      ['Adults', false, 'galgame', adult],
      ['Empty', false, undefined, 0],
    ] as const) {
      const { id: key } = await createCollection(service.db, id, { name: title, is_private })
      if (kind) await putItem(service.db, { accountId: id, key }, { kind, id: work }, undefined)
    }
    const profileSettings = {
      is_shown: true,
      name,
      may_be_found: false,
      shows_list: true,
      shows_statistics: true,
      shows_reviews: true,
      shows_collections: true,
    }
    assert.equal(await saveProfileSettings(service.db, id, profileSettings), undefined)
    return { id, everything: profileSettings }
  }

  it('returns 404, and so does each of its parts, until its user publishes it', async () => {
    const { data: unset } = await me.send('GET', MINE)
    assert.deepEqual(unset, {
      is_shown: false,
      profile_name: null,
      may_be_found: false,
      shows: { list: false, statistics: false, reviews: false, collections: false },
    })
    const missing = await get('nobody-at-all')
    const bare = ({ body }: AnyJson) => ({ ...body, request_id: '', timestamp: '' })
    const { id } = me.user
    assert.deepEqual(bare(await get(String(id))), bare(missing))
    await choose({ profile_name: name, shows: ALL })
    for (const part of PARTS) assert.deepEqual(bare(await get(name + part)), bare(missing), part)
    await choose({ is_shown: true, shows: { list: false, reviews: false } })
    const head = await get(name)
    assert.deepEqual(
      [head.data.id, head.data.profile_name, head.data.shows],
      [id, name, { list: false, statistics: true, reviews: false, collections: true }],
    )
    assert.equal(head.headers.get('cache-control'), 'no-store')
    assert.deepEqual(bare(await get(`${name}/list`)), bare(missing))
    assert.deepEqual(bare(await get(`${name}/reviews`)), bare(missing))
    assert.equal((await get(`${name}/statistics`)).status, 200)
    assert.equal((await get(String(id), reading, '/v3')).data.profile_name, name)
    assert.equal((await requestCollections(service, `/api/v3/open/profiles/${name}`)).status, 401)
    await choose({ is_shown: false })
    assert.deepEqual(bare(await get(name)), bare(missing))
  })

  it('shows no private ratings or collections, and nsfw works only with catalog:full', async () => {
    await user()
    const list = await get(`${name}/list`)
    assert.deepEqual(
      list.data.items.map(({ work_id, status, rate }: AnyJson) => [work_id, status, rate]),
      [[novel, 'COMPLETED', 8]],
    )
    assert.equal(list.data.meta.total_items, 1)
    const whole = (await get(`${name}/list?sort=score`, full)).data
    assert.deepEqual(
      whole.items.map(({ work_id }: AnyJson) => work_id),
      [novel, adult],
    )
    assert.equal((await get(`${name}/list?status=GOING`, full)).data.meta.total_items, 0)
    const numbers = (await get(`${name}/statistics`)).data
    assert.deepEqual(numbers.scores, [{ score: 8, amount: 1 }])
    assert.deepEqual(
      (await get(`${name}/statistics`, full)).data.kinds.map(({ kind, amount }: AnyJson) => [
        kind,
        amount,
      ]),
      [
        ['galgame', 1],
        ['light_novel', 1],
      ],
    )
    const reviews = await get(`${name}/reviews`)
    assert.deepEqual(
      reviews.data.items.map(({ rate_content: text }: AnyJson) => text),
      ['Shown to all.'],
    )
    const texts = async (query: string) =>
      (await get(`${name}/reviews${query}`, full)).data.items.map(
        ({ rate_content: text }: AnyJson) => text,
      )
    assert.deepEqual(await texts(''), ['', 'Shown to all.'])
    assert.deepEqual(await texts('?spoilers=true&page_size=1'), ['Adult works.'])
    const collections = async (token?: string) =>
      (await get(`${name}/collections`, token)).data.items
        .map(({ name: title }: AnyJson) => title)
        .toSorted()
    assert.deepEqual(await collections(), ['Open'])
    assert.deepEqual(await collections(full), ['Adults', 'Open'])
    const all = await Promise.all(PARTS.map(async (part) => (await get(name + part)).text))
    assert.ok(!all.join().includes('Secret') && !all.join().includes('Hidden'))
  })

  it('is hidden during a ban and deleted with its account, which makes its names available again', async () => {
    const { id, everything: profileSettings } = await user()
    const [other = 0] = await createAccounts(service.db, 1)
    await banAccount(service.db, id, 'spam')
    for (const part of PARTS) assert.equal((await get(name + part)).status, 404)
    assert.equal(await saveProfileSettings(service.db, other, profileSettings), 'name_taken')
    await deleteAccount(service.db, id)
    assert.equal((await get(name)).status, 404)
    assert.equal(await saveProfileSettings(service.db, other, profileSettings), undefined)
    assert.deepEqual(
      await queryText(service.db, 'select from profile_names where account_id = $1', [id]),
      [],
    )
  })

  it('is found by its name in any case or width, and names that resemble it are reserved', async () => {
    const { id } = await user()
    const written = encodeURIComponent(name.toUpperCase())
    assert.equal((await get(written)).data.id, id)
    for (const taken of [name, name.replaceAll('-', ''), name.replace('o', '0')]) {
      const { status, fields } = await choose({ profile_name: taken })
      assert.deepEqual([status, fields], [422, ['profile_name']], taken)
    }
    for (const bad of [
      'me',
      'Admin',
      '12345',
      'a b c',
      'n\u0430gisa',
      'na\u0000gisa',
      'x'.repeat(10_000),
      7,
    ])
      assert.equal((await choose({ profile_name: bad })).status, 422, String(bad).slice(0, 20))
    assert.equal((await choose({ shows: { list: 'yes' } })).status, 422)
    assert.equal((await choose({ account_id: id })).status, 422)
    for (const path of ['%00', '%ff', '..%2f', '9'.repeat(30), '0', '-1', '%F0%9F', 'a%27or1'])
      assert.ok([400, 404].includes((await get(path)).status), path)
  })

  it('reserves up to five names that its user has chosen, and is found only by the latest one', async () => {
    const { id, everything: profileSettings } = await user()
    const [other = 0] = await createAccounts(service.db, 1)
    const takes = (accountId: number, chosen: string | null) =>
      saveProfileSettings(service.db, accountId, { ...profileSettings, name: chosen })
    for (const next of ['b', 'c', 'd', 'e'])
      assert.equal(await takes(id, `${name}${next}`), undefined)
    assert.equal(await takes(id, `${name}x`), 'too_many_names')
    assert.equal((await getProfileSettings(service.db, id)).name, `${name}e`)
    assert.equal((await get(name)).status, 404)
    assert.equal(await takes(other, name), 'name_taken')
    assert.equal(await takes(id, name), undefined, 'the name still belongs to its user')
    assert.equal(await takes(id, null), undefined)
    assert.equal((await get(String(id))).data.profile_name, null)
    const racers = await createAccounts(service.db, 4)
    const outcomes = await Promise.all(racers.map((racer) => takes(racer, `${name}race`)))
    assert.deepEqual(outcomes.toSorted(), [...Array(3).fill('name_taken'), undefined])
  })

  it('has settings that require user:read to read and status:write to change', async () => {
    const collector = await signIn(service, { scope: 'user:read collection:write' })
    assert.equal((await collector.send('GET', MINE)).status, 200)
    assert.equal((await collector.send('PUT', MINE, { is_shown: true })).status, 403)
    const writer = await signIn(service, { scope: 'status:write' })
    assert.equal((await writer.send('GET', MINE)).status, 403)
    assert.equal((await writer.send('PUT', MINE, { is_shown: true })).status, 200)
  })
})
