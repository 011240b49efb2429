import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { findSchemaFaults } from '#test/schema-org.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { findItemPage } from '../../collections/items/item-queries.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { createCollection, findCollection, listCollections } from '../../collections/queries.ts'
import { queryText } from '../../db/query.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

const PASSWORD = 'a long enough one'
const HOSTILE = `"><script>alert(1)</script>'`
const OWN = '/library/collections'

describeOnDatabase('a collection', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  let browser: PlainBrowser
  let other: PlainBrowser
  let accountId: number
  let novels: number[]
  let adult: number
  let key: number
  before(async () => {
    service = await shareService(engine)
    novels = (await sampleWorks(service.db)).light_novel.slice(0, 4)
    adult = first((await sampleWorks(service.db, true)).galgame)
    guest = new PlainBrowser(service.url)
    const owner = await signedIn('owner@example.com')
    ;[browser, accountId] = [owner.browser, owner.id]
    other = (await signedIn('other@example.com')).browser
  })
  after(() => service.close())
  beforeEach(async () => {
    key = (await createCollection(service.db, accountId, { name: 'Quiet endings' })).id
    for (const id of novels) await put(id)
  })

  async function signedIn(email: string) {
    const id = await addAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    return { id, browser: await signedInBrowser(service, { email, password: PASSWORD }) }
  }
  const put = (id: number, note?: string, kind: 'light_novel' | 'galgame' = 'light_novel') =>
    putItem(service.db, { accountId, key }, { kind, id }, note)
  /** Positions of the works in `novels`, in the order of the collection. */
  async function stored() {
    const found = await findItemPage(service.db, { accountId, key }, { sort: 'position' }, true)
    return found?.items.map(({ work_id: id, note }) => `${novels.indexOf(id)}${note}`) ?? []
  }
  const shown = ({ text }: Visit) =>
    [...text.matchAll(/<li (?:class="entry" )?id="light_novel-(\d+)"/g)].map(([, id]) =>
      novels.indexOf(Number(id)),
    )
  const formWithField = ({ forms }: Visit, action: string, field: string) => {
    const found = forms.find(
      (form) => form.action === action && (field in form.fields || field === ''),
    )
    assert.ok(found, `${action} ${field}`)
    return found
  }
  const item = (index: number) => `${OWN}/${key}/light-novels/${novels[index]}`
  const submitAction = async (index: number, fields: Record<string, string>, by = browser) => {
    const page = await browser.get(`${OWN}/${key}`)
    const { _csrf = '' } = formWithField(
      by === browser ? page : await by.get(OWN),
      by === browser ? item(index) : OWN,
      '_csrf',
    ).fields
    return by.post(item(index), { _csrf, ...fields })
  }

  it('shows its owner, and its works in order with their notes', async () => {
    await put(novels[1] ?? 0, `Mind the ${HOSTILE}`)
    await submitAction(0, { position: '1' })
    const page = await guest.get(`/collections/${key}`)
    assert.equal(page.status, 200)
    assert.deepEqual(shown(page), [0, 3, 2, 1])
    assert.deepEqual(shown(await guest.get(`/collections/${key}?sort=added`)), [3, 2, 1, 0])
    assert.match(page.text, /<div class="item-note"><p>Mind the &quot;&gt;&lt;script/)
    assert.equal(page.text.match(/class="mosaic of-4"/g)?.length, 1)
    const [, data = '{}'] =
      /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page.text) ?? []
    assert.deepEqual(findSchemaFaults(JSON.parse(data)), [])
    assert.match(data, /"@type":"CollectionPage".*"@type":"ItemList","numberOfItems":4/)
    assert.match(
      page.text,
      new RegExp(`<link rel="canonical" href="${service.url}/collections/${key}">`),
    )
    assert.deepEqual(
      [page.headers.get('cache-control'), page.headers.get('etag')],
      ['no-store', null],
    )
  })

  it('is accessible only to its owner while it is private', async () => {
    await browser.get(`/collections/${key}`)
    await guest.get(`/collections/${key}`)
    await queryText(service.db, 'update collections set is_private = true where id = $1', [key])
    for (const one of [guest, other]) {
      assert.equal((await one.get(`/collections/${key}`)).status, 404)
      assert.equal((await one.get(`/collections/${key}?sort=added&page=1`)).status, 404)
      assert.equal((await one.get(`/collections/${key}/works.xml`)).status, 404)
      assert.doesNotMatch(
        (await one.get(`/light-novels/${novels[0]}?x=${key}`)).text,
        new RegExp(`/collections/${key}"`),
      )
    }
    const own = (await browser.get(`/collections/${key}`)).text
    assert.match(own, /Private/)
    assert.doesNotMatch(own, /works\.xml/, 'feed readers are not signed in')
    for (const path of [`${OWN}/${key}`, `${OWN}/${key}/delete`])
      assert.equal((await other.get(path)).status, 404, path)
  })

  it('has a localized default name until its owner renames it', async () => {
    const newcomer = await signedIn('favorites@example.com')
    const pages = async (language: string) => {
      const [own] = (await listCollections(service.db, newcomer.id, { page: 1, pageSize: 5 }))
        .collections
      assert.ok(own?.is_default)
      const paths = [
        OWN,
        `${OWN}/${own.id}`,
        `/collections/${own.id}`,
        `${OWN}/of/light-novels/${novels[0]}`,
      ]
      return Promise.all(
        paths.map(
          async (path) => (await newcomer.browser.get(`${path}?ui_locales=${language}`)).text,
        ),
      )
    }
    for (const [language, name] of [
      ['ja', />お気に入り</],
      ['zh-Hans', />收藏</],
      ['en', />Favorites</],
    ] as const)
      for (const text of await pages(language)) assert.match(text, name)
    const [own] = (await listCollections(service.db, newcomer.id, { page: 1, pageSize: 5 }))
      .collections
    assert.equal(own?.name, 'Favourites', 'the API returns the stored name')
    await queryText(service.db, `update collections set name = '好き' where id = $1`, [own.id])
    for (const text of await pages('zh-Hans')) assert.match(text, />好き</)
  })

  it('has a default name in each viewer’s language until its owner names it', async () => {
    const work = { kind: 'light_novel', id: first(novels) } as const
    const { id } = await signedIn('shown@example.com')
    await putItem(service.db, { accountId: id, key: 'default' }, work, undefined)
    const { id: second } = await createCollection(service.db, id, { name: 'Favourites' })
    await putItem(service.db, { accountId: id, key: second }, work, undefined)
    const choice = { is_shown: true, name: 'shown', shows_collections: true }
    await saveProfileSettings(service.db, id, (stored) => ({ ...stored, ...choice }))
    const { collections } = await listCollections(service.db, id, { page: 1, pageSize: 5 })
    const begun = collections.find((one) => one.is_default)?.id
    const pages = (language: string) =>
      Promise.all(
        [
          '/u/shown',
          '/u/shown/collections',
          `/collections/${begun}`,
          `/light-novels/${work.id}`,
        ].map(async (path) => (await guest.get(`${path}?ui_locales=${language}`)).text),
      )
    for (const text of await pages('ja')) assert.match(text, />お気に入り</)
    for (const text of await pages('zh-Hans')) assert.match(text, />收藏</)
    const { text: other } = await guest.get(`/collections/${second}?ui_locales=ja`)
    assert.match(other, />Favourites</, 'a name that a user gave is theirs')
    await queryText(service.db, `update collections set name = '好き' where id = $1`, [begun])
    const [profile = '', all = '', own = ''] = await pages('zh-Hans') // The page of the work is cached for a while.
    for (const text of [profile, all, own]) assert.match(text, />好き</)
  })

  it('can be changed only by its owner, and only through forms of this service', async () => {
    const before = await stored()
    for (const fields of [{ position: '1' }, { act: 'remove' }, { act: 'note', note: 'Theirs' }])
      assert.equal((await submitAction(0, fields, other)).status, 404)
    const othersPage = await other.get(OWN)
    const { _csrf = '' } = formWithField(othersPage, OWN, '_csrf').fields
    for (const path of [`${OWN}/${key}`, `${OWN}/${key}/restore`, `${item(0)}/restore`])
      assert.equal((await other.post(path, { _csrf, name: 'Theirs' })).status, 404, path)
    await other.post(`${OWN}/${key}/delete`, { _csrf })
    const menu = `/library/collections/of/light-novels/${novels[0]}`
    assert.equal((await other.post(menu, { _csrf, known: String(key) })).status, 200)
    assert.equal(
      (await other.post(menu, { _csrf, known: String(key), in: String(key) })).status,
      404,
    )
    for (const path of [OWN, `${OWN}/${key}`, `${OWN}/${key}/delete`, item(0), menu])
      assert.equal((await browser.post(path, { name: 'Forged', act: 'remove' })).status, 403, path)
    assert.deepEqual(await stored(), before)
    assert.equal((await findCollection(service.db, accountId, key))?.name, 'Quiet endings')
    for (const path of [OWN, `${OWN}/${key}`, menu])
      assert.equal(new URL((await guest.get(path)).url).pathname, '/sign-in', path)
  })

  it('can be reordered with buttons or positions, which must be in range', async () => {
    assert.deepEqual(await stored(), ['3', '2', '1', '0'])
    const page = await browser.get(`${OWN}/${key}`)
    assert.deepEqual(shown(page), [3, 2, 1, 0])
    const moves = formWithField(page, item(2), 'position')
    assert.deepEqual(
      moves.buttons.map(({ name, value }) => `${name}${value}`),
      ['to1', 'to3'],
    )
    const up = await browser.submit(page, { to: '1' }, moves)
    assert.deepEqual(shown(up), [2, 3, 1, 0])
    await submitAction(0, { position: '２' })
    assert.deepEqual(await stored(), ['2', '0', '3', '1'])
    for (const position of [
      '0',
      '-1',
      '1.5',
      '10001',
      '99999999999999999999',
      'x',
      '',
      '1e3',
      HOSTILE,
    ]) {
      const refused = await submitAction(0, { position })
      assert.equal(refused.status, 422, position)
      assert.doesNotMatch(refused.text, /<script>alert/)
    }
    await submitAction(2, { position: '10000' })
    assert.deepEqual(await stored(), ['0', '3', '1', '2'])
  })

  it('keeps notes on works, and regains a removed work with its note', async () => {
    const withNote = await submitAction(1, { act: 'note', note: ` Wait.\r\n${HOSTILE}` })
    assert.doesNotMatch(withNote.text, /<script>alert/)
    assert.deepEqual(await stored(), ['3', '2', `1Wait.\n${HOSTILE}`, '0'])
    assert.equal((await submitAction(1, { act: 'note', note: 'x'.repeat(2_001) })).status, 422)
    await submitAction(1, { act: 'note', note: 'Wait.' })
    const removed = await submitAction(1, { act: 'remove' })
    assert.match(removed.text, /Removed /)
    assert.deepEqual(await stored(), ['3', '2', '0'])
    await browser.submit(removed, {}, formWithField(removed, `${item(1)}/restore`, ''))
    assert.deepEqual(await stored(), ['3', '2', '1Wait.', '0'])
  })

  it('can be created, described, deleted after a confirmation, and restored', async () => {
    const page = await browser.get(OWN)
    const refused = await browser.submit(
      page,
      { name: ' ', description: HOSTILE },
      formWithField(page, OWN, 'name'),
    )
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Enter a name of 1 to 255/)
    const created = await browser.submit(
      page,
      { name: `New ${HOSTILE}`, is_private: 'yes' },
      formWithField(page, OWN, 'name'),
    )
    const path = new URL(created.url).pathname
    const id = Number(path.split('/').at(-1))
    assert.doesNotMatch(created.text, /<script>alert/)
    await browser.submit(
      created,
      { name: 'Renamed', description: 'Text' },
      formWithField(created, path, 'name'),
    )
    const found = await findCollection(service.db, accountId, id)
    assert.deepEqual(
      [found?.name, found?.description, found?.is_private],
      ['Renamed', 'Text', true],
    )
    const deletePage = await browser.get(`${path}/delete`)
    const deleted = await browser.submit(
      deletePage,
      {},
      formWithField(deletePage, `${path}/delete`, ''),
    )
    assert.match(deleted.text, /Deleted “Renamed”/)
    assert.equal(await findCollection(service.db, accountId, id), undefined)
    await browser.submit(deleted, {}, formWithField(deleted, `${path}/restore`, ''))
    assert.equal((await findCollection(service.db, accountId, id))?.name, 'Renamed')
    const { collections } = await listCollections(service.db, accountId, undefined)
    const default_ = collections.find((one) => one.is_default)
    const unchanged = await browser.get(`${OWN}/${default_?.id}`)
    assert.doesNotMatch(unchanged.text, /\/delete"/)
    const response = await browser.post(
      `${OWN}/${default_?.id}/delete`,
      deletePage.forms.find(({ action }) => action.endsWith('/delete'))?.fields ?? {},
    )
    assert.equal(response.status, 409)
  })

  it('gains works through the menu on a work’s page, where the collections that contain the work are ticked', async () => {
    const work = `/light-novels/${novels[0]}`
    const menu = `${OWN}/of${work}`
    await queryText(
      service.db,
      'delete from collections where account_id = $1 and not is_default and id <> $2',
      [accountId, key],
    )
    const page = await browser.get(work)
    assert.match(page.text, new RegExp(`name="in" value="${key}" checked`))
    const form = formWithField(page, menu, 'back')
    const { in: _, ...rest } = form.fields
    const out = await browser.post(menu, { ...rest, known: String(key), new: 'From here' })
    assert.equal(new URL(out.url).pathname, work)
    assert.deepEqual(await stored(), ['3', '2', '1'])
    const { collections } = await listCollections(service.db, accountId, undefined)
    assert.equal(collections.find(({ name }) => name === 'From here')?.item_count, 1)
    const repeated = formWithField(await browser.get(work), menu, 'back').fields
    await browser.post(menu, { ...repeated, known: String(key), in: String(key) })
    assert.deepEqual((await stored()).toSorted(), ['0', '1', '2', '3'])
    const foreignReturn = await browser.post(menu, { ...rest, back: '//evil.example/' })
    assert.equal(new URL(foreignReturn.url).origin, service.url)
    assert.equal((await browser.get(`${OWN}/of/light-novels/999999999`)).status, 404)
    assert.match(
      (await browser.get(`/library${work}/mark?back=/&panel=1`)).text,
      new RegExp(`href="${menu}\\?back=`),
    )
    const part = await browser.get(`${menu}?part=1&back=${encodeURIComponent(work)}`)
    assert.match(part.text, /^<form class="collection-menu panel"/)
    assert.equal(formWithField(part, menu, 'back').fields['back'], work)
    assert.equal(new URL((await guest.get(`${menu}?part=1`)).url).pathname, '/sign-in')
    assert.equal((await browser.get(`${OWN}/of/light-novels/999999999?part=1`)).status, 404)
  })

  it('has a feed of its works and their notes, newest first', async () => {
    await put(novels[1] ?? 0, `Mind the ${HOSTILE}`)
    const path = `/collections/${key}/works.xml`
    const { text: page } = await guest.get(`/collections/${key}`)
    assert.match(page, new RegExp(`type="application/atom\\+xml" [^>]*href="${path}">`))
    const { text, headers } = await guest.get(path)
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'private, no-cache')
    const ids = [...text.matchAll(/<entry><id>[^<]*\/light-novels\/(\d+)<\/id>/g)]
    assert.deepEqual(
      ids.map(([, id]) => novels.indexOf(Number(id))),
      [3, 2, 1, 0],
    )
    assert.match(text, /<title>Quiet endings · /)
    assert.match(text, /<content type="text">Mind the [^<]*&lt;script/)
  })

  it('hides adult works from guests in its covers, its count and its feed', async () => {
    await put(adult, 'A note on an adult work.', 'galgame')
    const feed = (await guest.get(`/collections/${key}/works.xml`)).text
    assert.doesNotMatch(feed, new RegExp(`galgames/${adult}|A note on`))
    assert.equal(feed.match(/<entry>/g)?.length, 4)
    const page = await guest.get(`/collections/${key}`)
    assert.doesNotMatch(page.text, new RegExp(`galgames/${adult}[/"]`))
    assert.match(page.text, /4 works/)
    assert.match((await browser.get(`/collections/${key}`)).text, /5 works/)
  })
})
