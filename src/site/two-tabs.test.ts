import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInBrowser, submitSignIn, type TestUser } from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'
import { listPasskeys } from '../accounts/credentials/passkey-list.ts'
import { getPreferences } from '../accounts/preferences/queries.ts'
import { findAccount } from '../accounts/queries.ts'
import { setRole } from '../accounts/role-queries.ts'
import { createOwnApp, rotateSecret } from '../apps/owner-queries.ts'
import { findApps } from '../apps/queries.ts'
import type { WorkKind } from '../catalog/kinds.ts'
import { listCollectionsContaining, requireItem } from '../collections/items/item-queries.ts'
import { deleteItem, putItem } from '../collections/items/item-write-queries.ts'
import { createCollection, findCollection } from '../collections/queries.ts'
import { setField } from '../curation/edit/edit-field.ts'
import { showEntry } from '../curation/edit/show-entry.ts'
import { getProfileSettings } from '../profiles/queries.ts'
import { findRating, saveRating } from '../ratings/own/queries.ts'
import { changeProgress, findWorkProgress } from '../ratings/progress/queries.ts'

type Fields = Record<string, string>

/** Form that edits stored values. Two tabs load it, and the second saves after the first. */
type EditedForm = {
  name: string
  page: () => string
  action?: () => string
  /** Path to which the page that shows both values submits its form, if it differs from `action`. */
  repeatedPath?: () => string
  /** Fields the first tab changes. */
  first: Fields
  /** A different field, which the second tab changes. */
  second: Fields
  /** The first tab's field, with a different value. */
  conflicting: Fields
  stored: () => Promise<unknown>
  /** Stored values after both tabs have saved. */
  both: unknown
  /** Stored values after the first tab has saved. */
  afterFirst: unknown
  /** Fields that complete the form, such as the button that was pressed. */
  pressed?: Fields
  /**
   * True if the form asks for a reason. It is then rejected even if the stored values equal those that the form showed.
   */
  needsReason?: boolean
}

describeOnDatabase('a form that is open in two tabs', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: TestUser
  let browser: PlainBrowser
  let collection: number
  let app: string
  let passkey: string
  let moderator: TestUser
  before(async () => {
    service = await startService({ engine })
    works = await worksOfEachKind(service)
    user = await createUser(service, 'Two tabs')
    browser = await signedInBrowser(service, user)
    const { db } = service
    collection = (await createCollection(db, user.id, { name: 'Before', description: 'Old.' })).id
    await putItem(
      db,
      { accountId: user.id, key: collection },
      { kind: 'manga', id: works.manga },
      'Old note.',
    )
    const created = await createOwnApp(db, user.id, { client_name: 'Before' }, 10, async () => {})
    app = created.app.client_id
    await saveRating(db, keyOf('light_novel', works.novel), null, { rate: 6, rate_content: 'Old.' })
    await saveRating(db, keyOf('galgame', works.game), null, { status: 'GOING', rate: 6 })
    await changeProgress(db, keyOf('manga', works.manga), null, () => ({
      volumes_read: 1,
      private_note: 'Old note.',
    }))
    passkey = `two-tabs-${user.id}`
    await db
      .insertInto('passkeys')
      .values({ credential_id: passkey, account_id: user.id, name: 'Before', public_key: 'x' })
      .execute()
    await setRole(db, user.id, 'ADMIN')
    moderator = await createUser(service, 'Moderator')
    await setField(db, { kind: 'galgame', id: works.game, field: 'trans_title' }, 'Before')
  })
  after(() => service.close())

  const keyOf = (kind: WorkKind, workId: number) => ({ accountId: user.id, kind, workId })
  const formOf = (visit: Visit, action: string) => {
    const form = visit.forms.find((item) => item.action === action)
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
      afterFirst: [8, 'Old.'],
    },
    {
      name: 'progress in a work',
      page: () => `/library/mangas/${works.manga}`,
      first: { volumes_read: '8' },
      second: { private_note: 'From tab two.' },
      conflicting: { volumes_read: '9' },
      async stored() {
        const progress = await findWorkProgress(service.db, keyOf('manga', works.manga))
        return [progress.volumes_read, progress.private_note]
      },
      both: [8, 'From tab two.'],
      afterFirst: [8, 'Old note.'],
    },
    {
      name: 'status and score of a work',
      page: () => `/galgames/${works.game}`,
      action: () => `/library/galgames/${works.game}/mark`,
      repeatedPath: () => `/library/galgames/${works.game}`,
      pressed: { status: 'GOING', rate: '6' },
      first: { status: 'GOING', rate: '8' },
      second: { status: 'COMPLETED', rate: '6' },
      conflicting: { status: 'GOING', rate: '9' },
      async stored() {
        const rating = await findRating(service.db, keyOf('galgame', works.game))
        return [rating?.status, rating?.rate]
      },
      both: ['COMPLETED', 8],
      afterFirst: ['GOING', 8],
    },
    {
      name: 'profile',
      page: () => '/account/profile',
      first: { nickname: 'Tab one' },
      second: { bio: 'From tab two.' },
      conflicting: { nickname: 'Tab two' },
      async stored() {
        const account = await findAccount(service.db, user.id)
        return [account?.nickname, account?.bio]
      },
      both: ['Tab one', 'From tab two.'],
      afterFirst: ['Tab one', ''],
    },
    {
      name: 'preferences',
      page: () => '/account/preferences',
      first: { time_zone: 'Asia/Tokyo' },
      second: { spoilers: 'yes' },
      conflicting: { time_zone: 'Europe/Berlin' },
      async stored() {
        const { time_zone, shows_spoilers } = await getPreferences(service.db, user.id)
        return [time_zone, shows_spoilers]
      },
      both: ['Asia/Tokyo', true],
      afterFirst: ['Asia/Tokyo', false],
    },
    {
      name: 'public page',
      page: () => '/library/profile',
      first: { name: 'tab-one' },
      second: { list: 'yes' },
      conflicting: { name: 'tab-two' },
      async stored() {
        const { name, shows_list } = await getProfileSettings(service.db, user.id)
        return [name, shows_list]
      },
      both: ['tab-one', true],
      afterFirst: ['tab-one', false],
    },
    {
      name: 'collection',
      page: () => `/library/collections/${collection}`,
      first: { name: 'Tab one' },
      second: { description: 'From tab two.' },
      conflicting: { name: 'Tab two' },
      async stored() {
        const found = await findCollection(service.db, user.id, collection)
        return [found?.name, found?.description]
      },
      both: ['Tab one', 'From tab two.'],
      afterFirst: ['Tab one', 'Old.'],
    },
    {
      name: 'note in a collection',
      page: () => `/library/collections/${collection}`,
      action: () => `/library/collections/${collection}/mangas/${works.manga}`,
      pressed: { act: 'note' },
      first: { act: 'note', note: 'Tab one.' },
      second: { act: 'note', note: 'Tab one.' },
      conflicting: { act: 'note', note: 'Tab two.' },
      stored: async () =>
        (
          await requireItem(
            service.db,
            { accountId: user.id, key: collection },
            { kind: 'manga', id: works.manga },
          )
        ).note,
      both: 'Tab one.',
      afterFirst: 'Tab one.',
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
      afterFirst: ['Tab one', null],
    },
    {
      name: 'name of a passkey',
      page: () => `/account/security/passkeys/change?passkey=${passkey}`,
      action: () => '/account/security/passkeys/rename',
      first: { name: 'Tab one' },
      second: { name: 'Tab one' },
      conflicting: { name: 'Tab two' },
      stored: async () => (await listPasskeys(service.db, user.id)).map(({ name }) => name),
      both: ['Tab one'],
      afterFirst: ['Tab one'],
    },
    {
      name: 'fields of an entry at the desk',
      page: () => `/desk/entries?kind=galgame&id=${works.game}`,
      action: () => '/desk/entries/set',
      needsReason: true,
      pressed: { field: 'trans_title', value: 'Before', note: 'Checked.' },
      first: { field: 'trans_title', value: 'Tab one', note: 'First.' },
      second: { field: 'engine', value: 'KiriKiri', note: 'Second.' },
      conflicting: { field: 'trans_title', value: 'Tab two', note: 'Conflicting.' },
      stored: async () => [
        (await entryField('trans_title'))?.value,
        (await entryField('engine'))?.value,
      ],
      both: ['Tab one', 'KiriKiri'],
      afterFirst: ['Tab one', 'RealLive'],
    },
    {
      name: 'role of an account at the desk',
      page: () => `/desk/accounts/${moderator.id}`,
      action: () => `/desk/accounts/${moderator.id}/role`,
      needsReason: true,
      pressed: { note: 'Checked.' },
      first: { role: 'MODERATOR', note: 'First.' },
      second: { role: 'MODERATOR', note: 'Second.' },
      conflicting: { role: 'ADMIN', note: 'Conflicting.' },
      stored: async () => (await findAccount(service.db, moderator.id))?.role,
      both: 'MODERATOR',
      afterFirst: 'MODERATOR',
    },
    {
      name: 'limit of an app at the desk',
      page: () => `/desk/apps/${app}`,
      action: () => `/desk/apps/${app}/limit`,
      needsReason: true,
      pressed: { note: 'Checked.' },
      first: { limit: '70', note: 'First.' },
      second: { limit: '70', note: 'Second.' },
      conflicting: { limit: '90', note: 'Conflicting.' },
      stored: async () => (await findApps(service.db, [app]))[0]?.requests_per_minute,
      both: 70,
      afterFirst: 70,
    },
  ]
  const entryField = async (name: string) =>
    (await showEntry(service.db, 'galgame', works.game)).fields.find(({ field }) => field === name)

  for (const form of FORMS) {
    it(`keeps the first tab’s changes, and shows both values of a field that both tabs changed: ${form.name}`, async () => {
      const action = form.action?.() ?? form.page()
      const load = () => browser.get(form.page())
      const [first, second, third, fourth] = [
        await load(),
        await load(),
        await load(),
        await load(),
      ]
      const send = (visit: Visit, fields: Fields) =>
        browser.submit(visit, fields, formOf(visit, action))
      assert.equal((await send(first, form.first)).status, 200)
      const refused = await send(third, form.conflicting)
      assert.equal(refused.status, 409)
      assert.match(refused.text, /<title>Error: /)
      for (const value of Object.values(form.conflicting))
        assert.ok(refused.text.includes(value), value)
      assert.match(refused.text, /class="conflict"/)
      assert.deepEqual(await form.stored(), form.afterFirst)
      assert.equal((await send(fourth, form.pressed ?? {})).status, form.needsReason ? 409 : 200)
      assert.deepEqual(
        await form.stored(),
        form.afterFirst,
        'after a form was sent as it was shown',
      )
      assert.equal((await send(second, form.second)).status, 200)
      assert.deepEqual(await form.stored(), form.both)
      const repeated = formOf(refused, form.repeatedPath?.() ?? action)
      const saved = await browser.submit(refused, form.conflicting, repeated)
      assert.notEqual(saved.status, 409, 'a second save is a decision')
    })
  }

  it('does not unset a field whose value has changed since the form was loaded', async () => {
    const unset = (visit: Visit) => {
      const form = visit.forms.find(
        ({ action, fields }) => action === '/desk/entries/unset' && fields['field'] === 'engine',
      )
      assert.ok(form)
      return browser.submit(visit, { note: 'Wrong.' }, form)
    }
    const target = { kind: 'galgame', id: works.game, field: 'engine' } as const
    await setField(service.db, target, 'First')
    const stale = await browser.get(`/desk/entries?kind=galgame&id=${works.game}`)
    await setField(service.db, target, 'Second')
    const refused = await unset(stale)
    assert.deepEqual([refused.status, (await entryField('engine'))?.value], [409, 'Second'])
    assert.match(refused.text, /Second \(set by hand\)/)
    assert.match(refused.text, /Wrong\.<\/textarea>/)
    assert.equal((await unset(refused)).status, 200)
    assert.notEqual((await entryField('engine'))?.value, 'Second')
    const already = await unset(stale)
    assert.match(already.text, /Someone else has already done this/)
  })

  it('does not undo a change at the desk if a later change follows, even with a reason', async () => {
    const undo = (visit: Visit) => {
      const form = visit.forms.find(({ fields }) => fields['undo'] === 'yes')
      assert.ok(form)
      return browser.submit(visit, { note: 'I was wrong.' }, form)
    }
    const page = `/desk/accounts/${moderator.id}`
    const give = async (role: string) => {
      const visit = await browser.get(page)
      return browser.submit(visit, { role, note: 'Now.' }, formOf(visit, `${page}/role`))
    }
    await give('')
    const stale = await give('MODERATOR')
    const latest = await give('ADMIN')
    assert.equal((await undo(stale)).status, 422)
    assert.equal((await findAccount(service.db, moderator.id))?.role, 'ADMIN')
    assert.equal((await undo(latest)).status, 200)
    assert.equal((await findAccount(service.db, moderator.id))?.role, 'MODERATOR')
  })

  it('undoes only the rating change that the form names', async () => {
    const key = keyOf('manga', works.manga)
    const path = `/library/mangas/${works.manga}`
    const rate = async () => (await findRating(service.db, key))?.rate
    const undo = (visit: Visit) => browser.submit(visit, {}, formOf(visit, `${path}/undo`))
    await saveRating(service.db, key, null, { rate: 6 })
    const form = await browser.get(path)
    const stale = await browser.submit(form, { rate: '7' }, formOf(form, path))
    await saveRating(service.db, key, null, { rate: 9 })
    const refused = await undo(stale)
    assert.deepEqual([refused.status, await rate()], [409, 9])
    assert.match(refused.text, /<title>Error: /)
    assert.match(refused.text, /changed after you opened the page/)
    const latest = await browser.get(stale.url)
    const named = formOf(latest, `${path}/undo`).fields
    const secondTab = await browser.post(`/library/galgames/${works.game}/undo`, named)
    assert.deepEqual([secondTab.status, await rate()], [409, 9], 'at the address of another work')
    assert.equal((await undo(latest)).status, 200)
    assert.equal(await rate(), 7)
    assert.equal((await undo(latest)).status, 409, 'pressed twice')
    assert.equal(await rate(), 7)
    for (const change of ['', '0', '1,2', 'x', '9'.repeat(30)])
      assert.equal((await browser.post(`${path}/undo`, { ...named, change })).status, 409, change)
    assert.equal(await rate(), 7)
  })

  it('undoes a bulk change only if none of its works has changed since', async () => {
    const { db } = service
    const [first, second] = [keyOf('light_novel', works.novel), keyOf('galgame', works.game)]
    const stored = () =>
      Promise.all([first, second].map(async (key) => (await findRating(db, key))?.status ?? null))
    const set = async (status: string) => {
      const page = await browser.get('/library')
      const { _csrf = '' } = page.forms.find(({ fields }) => '_csrf' in fields)?.fields ?? {}
      const fields = new URLSearchParams({ _csrf, act: 'status', status })
      for (const work of [`light-novels/${works.novel}`, `galgames/${works.game}`])
        fields.append('work', work)
      return browser.post('/library/several', fields)
    }
    const undo = (visit: Visit) => {
      const form = visit.forms.find(({ fields }) => 'change' in fields)
      assert.ok(form, 'there is a way to undo it')
      return browser.submit(visit, { act: 'undo' }, form)
    }
    for (const key of [first, second]) await saveRating(db, key, null, { status: 'GOING' })
    const stale = await set('DROPPED')
    await saveRating(db, second, null, { status: 'PLAN' })
    const refused = await undo(stale)
    assert.deepEqual([refused.status, await stored()], [409, ['DROPPED', 'PLAN']])
    assert.match(refused.text, /changed after you opened the page/)
    assert.doesNotMatch((await browser.get(stale.url)).text, /Saved \d/)
    await saveRating(db, first, null, { status: 'GOING' })
    const latest = await set('COMPLETED')
    assert.equal((await undo(latest)).status, 200)
    assert.deepEqual(await stored(), ['GOING', 'PLAN'])
    // Only the rating that the first tab changed is named.
    const partly = await set('GOING')
    assert.equal((await undo(partly)).status, 200)
    assert.deepEqual(await stored(), ['GOING', 'PLAN'])
  })

  it('revokes only the previous secret that the page showed', async () => {
    const page = `/console/apps/${app}/secrets`
    const rotate = () =>
      rotateSecret(service.db, user.id, app, { previousExpiresIn: 3_600, revokeTokens: false })
    const end = (visit: Visit) => browser.submit(visit, {}, formOf(visit, `${page}/previous`))
    const isLive = async () => (await findApps(service.db, [app]))[0]?.previous_secret_hash !== null
    await rotate()
    const stale = await browser.get(page)
    await rotate()
    const refused = await end(stale)
    assert.deepEqual([refused.status, await isLive()], [409, true])
    assert.equal((await end(refused)).status, 200)
    assert.equal(await isLive(), false)
  })

  it(
    'keeps a redirect URI that another tab registers while the console registers its own',
    { skip: skipEmbedded(engine) },
    async () => {
      const page = `/console/apps/${app}/try`
      const visit = await browser.get(page)
      const others = ['https://other.example/callback']
      let sent: Promise<Visit> | undefined
      await service.db.transaction().execute(async (trx) => {
        await trx
          .updateTable('apps')
          .set({ redirect_uris: JSON.stringify(others) })
          .where('client_id', '=', app)
          .execute()
        sent = browser.submit(visit, {}, formOf(visit, `${page}/register`))
        await waitForBlocked(trx, 1)
      })
      assert.equal((await sent)?.status, 200)
      const [found] = await findApps(service.db, [app])
      assert.deepEqual(found?.redirect_uris, [...others, `${service.url}${page}/callback`])
    },
  )

  it('changes only the collections whose checkboxes the user changed', async () => {
    const { db } = service
    const other = (await createCollection(db, user.id, { name: 'Other' })).id
    const work = { kind: 'galgame', id: works.game } as const
    const path = `/library/collections/of/galgames/${works.game}`
    const stale = await browser.get(path)
    await putItem(db, { accountId: user.id, key: other }, work, undefined)
    const newer = (await createCollection(db, user.id, { name: 'Not on the stale form' })).id
    await putItem(db, { accountId: user.id, key: newer }, work, undefined)
    const form = formOf(stale, path)
    const fields = new URLSearchParams(
      Object.entries(form.fields).filter(([name]) => name !== 'known'),
    )
    for (const id of [collection, other]) fields.append('known', String(id))
    fields.append('in', String(collection))
    assert.equal((await browser.post(path, fields)).status, 200)
    const ids = (await listCollectionsContaining(db, user.id, work)).map(({ id }) => id)
    assert.deepEqual(ids.toSorted(), [collection, newer, other].toSorted())
  })

  it('writes each collection once, even if the form names it twice', async () => {
    const { db } = service
    const work = { kind: 'galgame', id: works.game } as const
    const path = `/library/collections/of/galgames/${works.game}`
    const once = (await createCollection(db, user.id, { name: 'Named often' })).id
    const { _csrf = '' } = formOf(await browser.get(path), path).fields
    const countWrites = async (times: number) => {
      // Without a record of what the form showed, every box counts as changed.
      const fields = new URLSearchParams({ _csrf })
      for (let time = 0; time < times; time += 1) fields.append('known', String(once))
      fields.append('in', String(once))
      await deleteItem(db, { accountId: user.id, key: once }, work)
      const sent = await statementsOf(async () => {
        assert.equal((await browser.post(path, fields)).status, 200)
      })
      return sent.filter(({ sql }) => /collection_items/.test(sql) && /insert|update/i.test(sql))
        .length
    }
    assert.equal(await countWrites(500), await countWrites(1))
  })

  it('is rejected after another account has signed in', async () => {
    const page = await browser.get('/account/profile')
    const other = await createUser(service, 'Other user')
    await browser.post('/account/sign-out', {
      _csrf: formOf(page, '/account/profile').fields['_csrf'] ?? '',
    })
    await submitSignIn(browser, other)
    const refused = await browser.submit(
      page,
      { bio: 'Of the first account.' },
      formOf(page, '/account/profile'),
    )
    assert.ok([403, 409].includes(refused.status), String(refused.status))
    assert.equal((await findAccount(service.db, other.id))?.bio, '')
  })
})
