import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createReader, signedInBrowser, type TestReader } from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/list-pages.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { statementsOf } from '#test/statements.ts'
import { getPreferences } from '../accounts/preferences/queries.ts'
import { findAccount } from '../accounts/queries.ts'
import { createOwnApp } from '../apps/owner-queries.ts'
import { findApps } from '../apps/queries.ts'
import { listContaining, requireItem } from '../collections/item-queries.ts'
import { deleteItem, putItem } from '../collections/item-write-queries.ts'
import { createCollection, findCollection } from '../collections/queries.ts'
import { getProfileChoice } from '../profiles/queries.ts'
import { findRating, saveRating } from '../ratings/own/queries.ts'

type Fields = Record<string, string>

/** A form that edits what is stored. Two tabs load it, and the second saves after the first. */
type EditedForm = {
  name: string
  page: () => string
  action?: () => string
  /** Path to which the page that shows both values sends its form, if not `action`. */
  again?: () => string
  /** Fields the first tab changes. */
  first: Fields
  /** A different field, which the second tab changes. */
  second: Fields
  /** The first tab's field with another value. */
  conflicting: Fields
  stored: () => Promise<unknown>
  /** Stored values after both tabs saved. */
  both: unknown
  /** Stored values after the first tab saved. */
  onlyFirst: unknown
}

onOneDatabase('a form that is open in two tabs', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let reader: TestReader
  let browser: PlainBrowser
  let collection: number
  let app: string
  before(async () => {
    service = await shareService(engine)
    works = await worksOfEachKind(service)
    reader = await createReader(service, 'Two tabs')
    browser = await signedInBrowser(service, reader)
    const { db } = service
    collection = (await createCollection(db, reader.id, { name: 'Before', description: 'Old.' })).id
    await putItem(
      db,
      { accountId: reader.id, key: collection },
      { kind: 'manga', id: works.manga },
      'Old note.',
    )
    const created = await createOwnApp(db, reader.id, { client_name: 'Before' }, 10, async () => {})
    app = created.app.client_id
    await saveRating(db, keyOf('light_novel', works.novel), null, { rate: 6, rate_content: 'Old.' })
    await saveRating(db, keyOf('galgame', works.game), null, { status: 'GOING', rate: 6 })
  })
  after(() => service.close())

  const keyOf = (kind: 'light_novel' | 'galgame', workId: number) => ({ accountId: reader.id, kind, workId })
  const formOf = (visit: Visit, action: string) => {
    const form = visit.forms.find((one) => one.action === action)
    assert.ok(form, `a form to ${action}`)
    return form
  }

  const FORMS: EditedForm[] = [
    {
      name: 'record',
      page: () => `/library/light-novels/${works.novel}`,
      first: { rate: '8' },
      second: { rate_content: 'New.' },
      conflicting: { rate: '9' },
      async stored() {
        const rating = await findRating(service.db, keyOf('light_novel', works.novel))
        return [rating?.rate, rating?.rate_content]
      },
      both: [8, 'New.'],
      onlyFirst: [8, 'Old.'],
    },
    {
      name: 'status and score of a work',
      page: () => `/galgames/${works.game}`,
      action: () => `/library/galgames/${works.game}/mark`,
      again: () => `/library/galgames/${works.game}`,
      first: { status: 'GOING', rate: '8' },
      second: { status: 'COMPLETED', rate: '6' },
      conflicting: { status: 'GOING', rate: '9' },
      async stored() {
        const rating = await findRating(service.db, keyOf('galgame', works.game))
        return [rating?.status, rating?.rate]
      },
      both: ['COMPLETED', 8],
      onlyFirst: ['GOING', 8],
    },
    {
      name: 'profile',
      page: () => '/account/profile',
      first: { nickname: 'Tab one' },
      second: { bio: 'From tab two.' },
      conflicting: { nickname: 'Tab two' },
      async stored() {
        const account = await findAccount(service.db, reader.id)
        return [account?.nickname, account?.bio]
      },
      both: ['Tab one', 'From tab two.'],
      onlyFirst: ['Tab one', ''],
    },
    {
      name: 'preferences',
      page: () => '/account/preferences',
      first: { time_zone: 'Asia/Tokyo' },
      second: { spoilers: 'yes' },
      conflicting: { time_zone: 'Europe/Berlin' },
      async stored() {
        const { time_zone, shows_spoilers } = await getPreferences(service.db, reader.id)
        return [time_zone, shows_spoilers]
      },
      both: ['Asia/Tokyo', true],
      onlyFirst: ['Asia/Tokyo', false],
    },
    {
      name: 'public page',
      page: () => '/library/profile',
      first: { name: 'tab-one' },
      second: { list: 'yes' },
      conflicting: { name: 'tab-two' },
      async stored() {
        const { name, shows_list } = await getProfileChoice(service.db, reader.id)
        return [name, shows_list]
      },
      both: ['tab-one', true],
      onlyFirst: ['tab-one', false],
    },
    {
      name: 'collection',
      page: () => `/library/collections/${collection}`,
      first: { name: 'Tab one' },
      second: { description: 'From tab two.' },
      conflicting: { name: 'Tab two' },
      async stored() {
        const found = await findCollection(service.db, reader.id, collection)
        return [found?.name, found?.description]
      },
      both: ['Tab one', 'From tab two.'],
      onlyFirst: ['Tab one', 'Old.'],
    },
    {
      name: 'note in a collection',
      page: () => `/library/collections/${collection}`,
      action: () => `/library/collections/${collection}/mangas/${works.manga}`,
      first: { act: 'note', note: 'Tab one.' },
      second: { act: 'note', note: 'Tab one.' },
      conflicting: { act: 'note', note: 'Tab two.' },
      stored: async () =>
        (
          await requireItem(
            service.db,
            { accountId: reader.id, key: collection },
            { kind: 'manga', id: works.manga },
          )
        ).note,
      both: 'Tab one.',
      onlyFirst: 'Tab one.',
    },
    {
      name: 'app',
      page: () => `/console/apps/${app}/settings`,
      first: { client_name: 'Tab one' },
      second: { client_uri: 'https://two.example/' },
      conflicting: { client_name: 'Tab two' },
      async stored() {
        const [found] = await findApps(service.db, [app])
        return [found?.client_name, found?.client_uri]
      },
      both: ['Tab one', 'https://two.example/'],
      onlyFirst: ['Tab one', null],
    },
  ]

  for (const form of FORMS) {
    it(`keeps what the first tab saved in the ${form.name}, and shows both values of a field that both changed`, async () => {
      const action = form.action?.() ?? form.page()
      const [one, two, three] = [
        await browser.get(form.page()),
        await browser.get(form.page()),
        await browser.get(form.page()),
      ]
      const send = (visit: Visit, fields: Fields) => browser.submit(visit, fields, formOf(visit, action))
      assert.equal((await send(one, form.first)).status, 200)
      const refused = await send(three, form.conflicting)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /<title>Error: /)
      for (const value of Object.values(form.conflicting)) assert.ok(refused.text.includes(value), value)
      assert.match(refused.text, /class="conflict"/)
      assert.deepEqual(await form.stored(), form.onlyFirst)
      assert.equal((await send(two, form.second)).status, 200)
      assert.deepEqual(await form.stored(), form.both)
      const again = formOf(refused, form.again?.() ?? action)
      const saved = await browser.submit(refused, form.conflicting, again)
      assert.notEqual(saved.status, 409, 'a second save is a decision')
    })
  }

  it('changes only the collections whose boxes were changed', async () => {
    const { db } = service
    const other = (await createCollection(db, reader.id, { name: 'Other' })).id
    const work = { kind: 'galgame', id: works.game } as const
    const path = `/library/collections/of/galgames/${works.game}`
    const stale = await browser.get(path)
    await putItem(db, { accountId: reader.id, key: other }, work, undefined)
    const newer = (await createCollection(db, reader.id, { name: 'Not on the stale form' })).id
    await putItem(db, { accountId: reader.id, key: newer }, work, undefined)
    const form = formOf(stale, path)
    const fields = new URLSearchParams(Object.entries(form.fields).filter(([name]) => name !== 'known'))
    for (const id of [collection, other]) fields.append('known', String(id))
    fields.append('in', String(collection))
    assert.equal((await browser.post(path, fields)).status, 200)
    const ids = (await listContaining(db, reader.id, work)).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), [collection, newer, other].toSorted())
  })

  it('writes each collection once, however often the form names it', async () => {
    const { db } = service
    const work = { kind: 'galgame', id: works.game } as const
    const path = `/library/collections/of/galgames/${works.game}`
    const once = (await createCollection(db, reader.id, { name: 'Named often' })).id
    const { _csrf = '' } = formOf(await browser.get(path), path).fields
    const countWrites = async (times: number) => {
      // Without a record of what the form showed, every box counts as changed.
      const fields = new URLSearchParams({ _csrf })
      for (let time = 0; time < times; time += 1) fields.append('known', String(once))
      fields.append('in', String(once))
      await deleteItem(db, { accountId: reader.id, key: once }, work)
      const sent = await statementsOf(async () => {
        assert.equal((await browser.post(path, fields)).status, 200)
      })
      return sent.filter(({ sql }) => /collection_items/.test(sql) && /insert|update/i.test(sql)).length
    }
    assert.equal(await countWrites(500), await countWrites(1))
  })

  it('is refused when another account is signed in now', async () => {
    const page = await browser.get('/account/profile')
    const other = await createReader(service, 'Other reader')
    await browser.post('/account/sign-out', { _csrf: formOf(page, '/account/profile').fields['_csrf'] ?? '' })
    await browser.submit(await browser.get('/sign-in'), { email: other.email, password: other.password })
    const refused = await browser.submit(
      page,
      { bio: 'Of the first account.' },
      formOf(page, '/account/profile'),
    )
    assert.ok([403, 409].includes(refused.status), String(refused.status))
    assert.equal((await findAccount(service.db, other.id))?.bio, '')
  })
})
