import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { addAccount } from '#test/accounts.ts'
import { signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, writeRating } from '#test/ratings.ts'
import { findSchemaFaults } from '#test/schema-org.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount, unbanAccount } from '../../accounts/ban-queries.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { updateProfile } from '../../accounts/queries.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { createCollection } from '../../collections/queries.ts'
import { saveProfileSettings, type ProfileSettingsRow } from '../../profiles/queries.ts'

const PASSWORD = 'a long enough one'
const HOSTILE = `"><script>alert(1)</script>'`
const PARTS = [
  '',
  '/list',
  '/statistics',
  '/reviews',
  '/collections',
  '/reviews.xml',
  '/activity.xml',
]
const ALL: ProfileSettingsRow = {
  is_shown: true,
  name: 'nagisa',
  may_be_found: false,
  shows_list: true,
  shows_statistics: true,
  shows_reviews: true,
  shows_collections: true,
}

describeOnDatabase('the profile of a user', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  let owner: PlainBrowser
  let id: number
  let novel: number
  let adult: number
  before(async () => {
    service = await shareService(engine)
    const { db } = service
    novel = first((await sampleWorks(db)).light_novel)
    adult = first((await sampleWorks(db, true)).galgame)
    const manga = first((await sampleWorks(db)).manga)
    id = await addAccount(db, { email: 'nagisa@example.com', name: 'Nagisa', password: PASSWORD })
    await updateProfile(db, id, { bio: `Winter. ${HOSTILE} https://example.org/me` })
    const saveRating = (
      work: { kind: 'light_novel' | 'manga' | 'galgame'; id: number },
      change: object,
    ) => writeRating(db, id, work, change)
    await saveRating(
      { kind: 'light_novel', id: novel },
      { status: 'COMPLETED', rate: 8, rate_content: 'For all.' },
    )
    await saveRating(
      { kind: 'manga', id: manga },
      { rate: 2, rate_content: 'Secret.', status_private: true },
    )
    await saveRating(
      { kind: 'galgame', id: adult },
      { rate: 5, rate_content: 'Adult works.', is_spoiler: true },
    )
    for (const [name, is_private] of [
      [`Open ${HOSTILE}`, false],
      ['Hidden', true],
    ] as const) {
      const { id: key } = await createCollection(db, id, { name, is_private })
      await putItem(db, { accountId: id, key }, { kind: 'light_novel', id: novel }, undefined)
    }
    guest = new PlainBrowser(service.url)
    owner = await signedIn('nagisa@example.com')
  })
  after(() => service.close())

  const signedIn = (email: string) => signedInBrowser(service, { email, password: PASSWORD })
  const choose = async (change: Partial<ProfileSettingsRow> = {}) =>
    assert.equal(await saveProfileSettings(service.db, id, { ...ALL, ...change }), undefined)
  const statuses = (key: string | number, browser = guest) =>
    Promise.all(PARTS.map(async (part) => (await browser.get(`/u/${key}${part}`)).status))
  const bare = ({ text }: Visit) =>
    text.replaceAll(/[?&](?:lang|theme)=|\/u\/[^"?&]*|ID [\w-]+|_csrf" value="[^"]*"/g, '')

  it('returns the same 404 as an unknown name unless its owner publishes it', async () => {
    const missing = await guest.get('/u/nobody-at-all')
    assert.equal(missing.status, 404)
    for (const key of ['nagisa', id])
      assert.deepEqual(
        await statuses(key),
        PARTS.map(() => 404),
      )
    const request = /[\da-f-]{20,}/g
    assert.equal(
      bare(await guest.get(`/u/${id}`)).replaceAll(request, ''),
      bare(missing).replaceAll(request, ''),
    )
    await choose({ is_shown: false })
    assert.deepEqual(
      await statuses('nagisa', owner),
      PARTS.map(() => 404),
    )
    await choose({ shows_reviews: false, shows_list: false })
    assert.deepEqual(await statuses('nagisa'), [200, 404, 200, 404, 200, 404, 404])
    await choose()
    assert.deepEqual(
      await statuses('nagisa'),
      PARTS.map(() => 200),
    )
    await banAccount(service.db, id, 'spam')
    assert.deepEqual(
      await statuses('nagisa'),
      PARTS.map(() => 404),
      'nothing is kept',
    )
    await unbanAccount(service.db, id)
    // The ban has ended every session.
    owner = await signedIn('nagisa@example.com')
    await choose({ is_shown: false })
    assert.deepEqual(
      await statuses('nagisa'),
      PARTS.map(() => 404),
      'withdrawn at once',
    )
    await choose()
  })

  it('begins with totals that omit private and adult works', async () => {
    const { text } = await guest.get('/u/nagisa')
    const [, sums = ''] = /<dl class="sums cluster">(.*?)<\/dl>/s.exec(text) ?? []
    const values = [...sums.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/g)].map(
      ([, name, value]) => [name, value?.replaceAll(/<[^>]*>/g, '')],
    )
    assert.deepEqual(values, [
      ['Works on the list', '1'],
      ['Finished', '1'],
      ['Average score', 'Score 8.0★ 8.0'],
    ])
  })

  it('keeps the view of its list in the links that sort it', async () => {
    const { text } = await guest.get('/u/nagisa/list?view=table')
    assert.match(text, /own-table/)
    assert.match(text, /href="\/u\/nagisa\/list\?view=table&amp;sort=score"/)
    assert.match((await guest.get('/u/nagisa/list')).text, /own-rows/, 'no cookie is set')
  })

  it('has one canonical path', async () => {
    for (const written of [id, 'Nagisa', encodeURIComponent('ＮＡＧＩＳＡ')])
      assert.equal(
        (await guest.get(`/u/${written}/list?sort=score`)).url,
        `${service.url}/u/nagisa/list?sort=score`,
      )
    for (const junk of [
      '%00',
      '%ff',
      '%E2%80%AEasigan',
      'n%D0%B0gisa',
      'x'.repeat(5_000),
      '0',
      '-1',
      '1e3',
    ])
      assert.ok([400, 404, 422].includes((await guest.get(`/u/${junk}`)).status), junk)
  })

  it('hides private ratings from everyone, and adult works from viewers who do not allow adult content', async () => {
    const pages = async (browser: PlainBrowser) =>
      (await Promise.all(PARTS.map((part) => browser.get(`/u/nagisa${part}`))))
        .map(({ text }) => text)
        .join('\n')
    const [asGuest, asOwner] = [await pages(guest), await pages(owner)]
    for (const text of [asGuest, asOwner]) {
      assert.match(text, /For all\./)
      assert.doesNotMatch(text, /Secret\.|Hidden|<script>alert/)
      assert.match(text, /rel="nofollow ugc noopener"/)
    }
    assert.doesNotMatch(asGuest, new RegExp(`/galgames/${adult}"|Adult works`))
    await savePreferences(service.db, id, true)
    const adults = await pages(owner)
    assert.match(adults, new RegExp(`/galgames/${adult}"`))
    assert.match(adults, /<details class="spoiler"><summary>[^<]*<\/summary><p>Adult works\./)
    for (const feed of ['reviews', 'activity'])
      assert.doesNotMatch(
        (await owner.get(`/u/nagisa/${feed}.xml`)).text,
        /Adult works|galgames/,
        feed,
      )
    await savePreferences(service.db, id, false)
    for (const part of PARTS.slice(0, 5)) {
      const { headers } = await guest.get(`/u/nagisa${part}`)
      assert.deepEqual([headers.get('cache-control'), headers.get('etag')], ['no-store', null])
    }
  })

  it('has metadata for crawlers, and allows indexing only if its owner does', async () => {
    const page = await guest.get('/u/nagisa')
    const [, data = '{}'] =
      /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page.text) ?? []
    assert.deepEqual(findSchemaFaults(JSON.parse(data)), [])
    assert.match(data, /"@type":"ProfilePage".*"@type":"Person","name":"Nagisa"/)
    assert.match(page.text, /<meta property="og:type" content="profile">/)
    assert.match(page.text, new RegExp(`<link rel="canonical" href="${service.url}/u/nagisa">`))
    assert.match(
      page.text,
      /<link rel="alternate" type="application\/atom\+xml" [^>]*href="\/u\/nagisa\/reviews.xml">/,
    )
    assert.match(page.text, /<meta name="robots" content="noindex">/)
    assert.doesNotMatch((await guest.get('/sitemap.xml')).text, /readers/)
    await choose({ may_be_found: true })
    assert.doesNotMatch((await guest.get('/u/nagisa')).text, /noindex/)
    assert.match((await guest.get('/sitemap.xml')).text, /readers-1\.xml/)
    assert.match((await guest.get('/sitemaps/readers-1.xml')).text, /<loc>[^<]*\/u\/nagisa<\/loc>/)
    await choose({ may_be_found: false })
    assert.doesNotMatch((await guest.get('/sitemaps/readers-1.xml')).text, /nagisa/)
  })

  it('has a feed of reviews that is the same for every viewer', async () => {
    const { text, headers } = await guest.get('/u/nagisa/reviews.xml')
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    assert.equal(text.match(/<entry>/g)?.length, 1)
    assert.match(text, /<content type="text">For all\.<\/content>/)
    assert.match(text, new RegExp(`<id>${service.url}/u/${id}/reviews.xml#review-\\d+</id>`))
    const repeated = await fetch(`${service.url}/u/nagisa/reviews.xml`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    })
    assert.equal(repeated.status, 304)
    assert.equal(repeated.headers.get('cache-control'), 'private, no-cache')
  })

  it('has an activity feed limited to what the profile shows', async () => {
    const feed = async (headers: Record<string, string> = {}) => {
      const response = await fetch(`${service.url}/u/nagisa/activity.xml`, {
        headers: { 'accept-language': 'en', ...headers },
      })
      return { status: response.status, headers: response.headers, text: await response.text() }
    }
    const shown = await feed()
    assert.equal(shown.headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    assert.equal(shown.headers.get('cache-control'), 'private, no-cache')
    assert.equal(shown.headers.get('x-robots-tag'), 'noindex')
    assert.equal(shown.text.match(/<entry>/g)?.length, 1)
    assert.match(shown.text, new RegExp(`<id>${service.url}/u/${id}/activity.xml#rating-\\d+</id>`))
    assert.match(shown.text, / · Finished · ★ 8\.0<\/title>/)
    assert.match(shown.text, new RegExp(`<link href="${service.url}/light-novels/${novel}"/>`))
    assert.match(shown.text, /<content type="text">For all\.<\/content>/)
    const etag = shown.headers.get('etag') ?? ''
    assert.equal((await feed({ 'if-none-match': etag })).status, 304)
    for (const path of ['/u/nagisa', '/u/nagisa/list'])
      assert.match(
        (await guest.get(path)).text,
        /<link rel="alternate" type="application\/atom\+xml" [^>]*href="\/u\/nagisa\/activity.xml">/,
      )

    await choose({ shows_reviews: false })
    const withoutReviews = await feed({ 'if-none-match': etag })
    assert.equal(withoutReviews.status, 200)
    assert.doesNotMatch(withoutReviews.text, /<content/)
    assert.match(withoutReviews.text, /<entry>/)
    await choose({ shows_list: false })
    assert.equal((await feed()).status, 404)
    assert.doesNotMatch((await guest.get('/u/nagisa')).text, /activity\.xml/)
    await choose()

    const review = async (text: string) =>
      sql`update ratings set rate_content = ${text} where account_id = ${id} and work_id = ${novel}`.execute(
        service.db,
      )
    await review('a '.repeat(600))
    const [, excerpt = ''] = /<content type="text">(.*?)<\/content>/.exec((await feed()).text) ?? []
    assert.match(excerpt, /a…$/)
    assert.ok(excerpt.length <= 600)
    await review('For all.')
  })

  it('never causes a server error, even for invalid input', async () => {
    const junk = [
      '%00',
      '%ed%a0%80',
      '%zz',
      '-1',
      '1e9',
      '[]',
      'a'.repeat(5_000),
      encodeURIComponent(HOSTILE),
    ]
    for (const path of [
      'list?status=',
      'list?kind=',
      'list?q=',
      'list?sort=',
      'list?page=',
      'reviews?page=',
      'collections?page=',
    ])
      for (const value of junk) {
        const { status, text } = await guest.get(`/u/nagisa/${path}${value}`)
        assert.ok(status < 500, `${path}${value.slice(0, 20)}`)
        assert.doesNotMatch(text, /<script>alert/)
      }
  })

  it('is linked from its owner’s name on works and collections', async () => {
    const work = await owner.get(`/light-novels/${novel}`)
    assert.match(work.text, /<h3><a href="\/u\/nagisa" rel="author">Nagisa<\/a><\/h3>/)
    assert.match(
      work.text,
      /<a href="\/collections\/\d+">Open [^<]*<\/a> <span class="quiet"><a href="\/u\/nagisa"/,
    )
    await choose({ is_shown: false })
    assert.doesNotMatch((await owner.get(`/light-novels/${novel}`)).text, /\/u\/nagisa/)
    await choose()
  })

  it('has a name that its owner chooses, in a form that explains why a name is invalid', async () => {
    const guestPage = await guest.get('/library/profile')
    assert.equal(new URL(guestPage.url).pathname, '/sign-in')
    const email = 'chooser@example.com'
    const account = await addAccount(service.db, { email, name: 'Chooser', password: PASSWORD })
    const browser = await signedIn(email)
    const page = await browser.get('/library/profile')
    assert.match(page.text, /Only you can see your profile/)
    const form = page.forms.find(({ action }) => action === '/library/profile')
    const fill = (name: string) =>
      browser.submit(page, { is_shown: 'yes', list: 'yes', name }, form)
    for (const [name, fault] of [
      ['a b', 'starting with a letter'],
      ['adm1n', 'is reserved'],
      ['nag1sa', 'already taken'],
      [HOSTILE, 'starting with a letter'],
      ['x'.repeat(50_000), 'starting with a letter'],
    ] as const) {
      const refused = await fill(name)
      assert.equal(refused.status, 422, name)
      assert.ok(refused.text.includes(fault), name)
      assert.doesNotMatch(refused.text, /<script>alert/)
    }
    const saved = await fill('Kotomi')
    assert.match(saved.text, new RegExp(`href="/u/kotomi">${service.url}/u/kotomi<`))
    assert.deepEqual(await statuses('kotomi'), [200, 200, 404, 404, 404, 404, 200])
    await fill('')
    assert.equal((await guest.get(`/u/${account}`)).status, 200)
    const forged = await browser.post('/library/profile', { is_shown: 'yes', name: 'forged' })
    assert.equal(forged.status, 403)
  })

  it('does not give access to another user’s profile', async () => {
    const [other = 0] = await createAccounts(service.db, 1)
    await saveProfileSettings(service.db, other, { ...ALL, name: 'ushio' })
    assert.doesNotMatch((await owner.get('/u/ushio')).text, /For all\./)
    assert.doesNotMatch((await owner.get('/u/ushio')).text, /\/library\/profile"/)
    assert.match((await owner.get('/u/nagisa')).text, /\/library\/profile"/)
  })
})
