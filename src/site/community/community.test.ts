import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { eventually, PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { createAccounts, waitForTotals, writeRating } from '#test/ratings.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { banAccount } from '../../accounts/ban-queries.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { updateProfile } from '../../accounts/queries.ts'
import { putItem } from '../../collections/items/item-write-queries.ts'
import { createCollection, updateCollection } from '../../collections/queries.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'
import { saveVote } from '../../ratings/reviews/vote-queries.ts'

const HOSTILE = `"><script>alert(1)</script>'`

describeOnDatabase('public lists', (engine) => {
  let service: TestService
  let db: TestService['db']
  let guest: PlainBrowser
  let adultViewer: PlainBrowser
  let novels: number[]
  let adult: number
  before(async () => {
    service = await startService({ engine })
    db = service.db
    novels = (await sampleWorks(db)).light_novel
    adult = first((await sampleWorks(db, true)).galgame)
    guest = new PlainBrowser(service.url)
    const user = await createUser(service)
    await savePreferences(db, user.id, true)
    adultViewer = await signedInBrowser(service, user)
  })
  after(() => service.close())

  it('link an empty list to the page where users add to it', async () => {
    for (const [path, next] of [
      ['/reviews', '/library'],
      ['/collections', '/library/collections'],
      ['/users', '/library/profile'],
    ] as const) {
      // The query keeps the empty page out of the other tests.
      const { text } = await guest.get(`${path}?while-empty`)
      assert.match(text, new RegExp(`<div class="empty">.*href="${next}"`), path)
    }
    assert.doesNotMatch(
      (await guest.get('/users?q=zzz')).text,
      /class="empty">(?:(?!<\/div>).)*href=/,
    )
  })

  const main = ({ text }: Visit) => /<main[^>]*>(.*)<\/main>/s.exec(text)?.[1] ?? ''
  const found = (visit: Visit, pattern: RegExp) =>
    [...main(visit).matchAll(pattern)].map(([, value = '']) => value)
  const reviewIds = (visit: Visit) => found(visit, /id="review-(\d+)"/g).map(Number)
  const collectionIds = (visit: Visit) => found(visit, /href="\/collections\/(\d+)"/g).map(Number)
  const profiles = (visit: Visit) => found(visit, /class="entry-title" href="\/u\/([^"]*)"/g)

  /** Follows the links to the next pages. */
  async function pagesFrom(path: string) {
    const visits = [await guest.get(path)]
    for (;;) {
      const next = found(visits.at(-1) as Visit, /href="([^"]*)" rel="next"/g)[0]
      if (next === undefined) return visits
      assert.ok(visits.length < 20, 'the pages end')
      visits.push(await guest.get(next.replaceAll('&amp;', '&')))
    }
  }

  it('show each public review once, newest or most helpful first', async () => {
    const authors = await createAccounts(db, 30)
    const ids: number[] = []
    for (const [index, author] of authors.entries()) {
      const work = { kind: 'light_novel', id: first(novels.slice(index % 3)) } as const
      const rating = await writeRating(db, author, work, { rate_content: `Review ${index}.` })
      ids.push(rating.id)
    }
    // Several reviews may have the same time.
    await sql`update ratings set created_at = '2026-01-01' where id = any(${ids.slice(0, 8)}::bigint[])`.execute(
      db,
    )
    const [hidden, spoiler, adults] = await createAccounts(db, 3)
    assert.ok(hidden && spoiler && adults)
    const novel = { kind: 'light_novel', id: first(novels) } as const
    await writeRating(db, hidden, novel, { rate_content: 'Secret.', status_private: true })
    await writeRating(db, spoiler, novel, { rate_content: `All die. ${HOSTILE}`, is_spoiler: true })
    const adultWork = { kind: 'galgame', id: adult } as const
    const ofAdultWork = await writeRating(db, adults, adultWork, { rate_content: 'Adults only.' })

    const pages = await pagesFrom('/reviews')
    const listed = pages.flatMap(reviewIds)
    assert.ok(pages.length > 1)
    assert.equal(new Set(listed).size, listed.length)
    assert.ok(ids.every((id) => listed.includes(id)))
    const texts = pages.map(({ text }) => text).join('')
    assert.doesNotMatch(texts, /Secret\.|Adults only\.|<script>alert/)
    assert.match(texts, /<details class="spoiler"><summary>[^<]*<\/summary><p>All die\./)
    assert.ok(reviewIds(await adultViewer.get('/reviews')).includes(ofAdultWork.id))

    const [helpful = 0, disputed = 0] = [ids[3], ids[20]]
    for (const voter of authors.slice(4, 6)) await saveVote(db, voter, helpful, 'LIKE')
    await saveVote(db, first(authors), disputed, 'DISLIKE')
    await waitForTotals(db)
    const top = await pagesFrom('/reviews?sort=top&x=1')
    assert.equal(top.flatMap(reviewIds).at(0), helpful)
    assert.equal(top.flatMap(reviewIds).at(-1), disputed)
    assert.deepEqual(top.flatMap(reviewIds).toSorted(), listed.toSorted())

    const writer = first(authors)
    await banAccount(db, writer, 'spam')
    const fresh = reviewIds(await adultViewer.get('/reviews?sort=top'))
    assert.ok(!fresh.includes(first(ids)))
  })

  it('fill each page with reviews of visible works, even if most reviews are of hidden works', async () => {
    const { rows: withdrawn } = await sql<{ id: number }>`
      with gone as (insert into works (kind) values ('manga') returning id, kind),
        referred as (insert into work_refs (id, kind, withdrawn) select id, kind, true from gone)
      insert into withdrawn_works (id, kind, name, covers) select id, kind, 'Gone', '[]' from gone
      returning id`.execute(db)
    const gone = first(withdrawn).id
    const authors = await createAccounts(db, 300)
    const { rows: written } = await sql<{ id: number; work_id: number }>`
      insert into ratings (account_id, work_id, kind, rate_content, created_at, updated_at, like_count)
      select author.id, work.id, work.kind, 'Between.', '2020-01-01', now(), 1000
      from unnest(${authors}::bigint[]) with ordinality author (id, place)
      join works work on work.id = case
        when place % 6 = 0 then ${first(novels)}::bigint when place % 6 = 1 then ${gone} else ${adult} end
      returning id, work_id`.execute(db)
    for (const [sort, before] of [
      ['newest', Date.parse('2020-01-02')],
      ['top', 1001],
    ] as const)
      for (const [browser, visible] of [
        [guest, [first(novels)]],
        [adultViewer, [first(novels), adult]],
      ] as const) {
        const pages: number[][] = []
        for (let after: string | undefined = `${before}_1`; after !== undefined;) {
          const page = await browser.get(`/reviews?sort=${sort}&after=${after}&between`)
          pages.push(reviewIds(page))
          after = /after=(\d+_\d+)[^"]*" rel="next"/.exec(page.text)?.[1]
        }
        const expected = written.filter(({ work_id: work }) => visible.includes(work))
        assert.deepEqual(
          pages.flat().slice(0, expected.length),
          expected.map(({ id }) => id).toSorted((one, other) => other - one),
        )
        assert.ok(pages.slice(0, -1).every(({ length }) => length === 24))
      }
    await sql`delete from ratings where account_id = any(${authors}::bigint[])`.execute(db)
  })

  it('show public collections with visible works, and find them by name and sort them by size', async () => {
    const [owner = 0, other = 0] = await createAccounts(db, 2)
    const create = async (name: string, works: [kind: 'light_novel' | 'galgame', id: number][]) => {
      const { id } = await createCollection(db, owner, { name })
      for (const [kind, work] of works)
        await putItem(db, { accountId: owner, key: id }, { kind, id: work }, undefined)
      return id
    }
    const one = ['light_novel', first(novels)] as ['light_novel', number]
    const large = await create(
      `Quiet endings ${HOSTILE}`,
      novels.slice(0, 6).map((id) => ['light_novel', id]),
    )
    const small = await create('Loud endings', [one])
    const ofAdults = await create('Adult endings', [['galgame', adult]])
    const empty = await create('No endings', [])
    const secret = await create('Secret endings', [one])
    await updateCollection(db, owner, secret, { is_private: true })
    const { id: banned } = await createCollection(db, other, { name: 'Banned endings' })
    await putItem(
      db,
      { accountId: other, key: banned },
      { kind: 'light_novel', id: one[1] },
      undefined,
    )
    await banAccount(db, other, 'spam')

    const search = (query: string, browser = guest) =>
      browser.get(`/collections?q=${encodeURIComponent(query)}`)
    assert.deepEqual([...new Set(collectionIds(await search('ENDINGS')))], [small, large])
    assert.deepEqual([...new Set(collectionIds(await search('quiet')))], [large])
    const sorted = await guest.get('/collections?q=endings&sort=largest')
    assert.deepEqual([...new Set(collectionIds(sorted))], [large, small])
    const seen = collectionIds(await search('endings', adultViewer))
    assert.ok(seen.includes(ofAdults) && !seen.includes(empty) && !seen.includes(secret))
    assert.doesNotMatch((await search('endings')).text, /<script>alert|Adult endings/)
    assert.match((await search('zzz')).text, /No collections found/)

    for (let number = 0; number < 26; number += 1) await create(`Numbered ${number}`, [one])
    for (const sort of ['recent', 'largest']) {
      const pages = await pagesFrom(`/collections?q=numbered&sort=${sort}`)
      const listed = pages.flatMap((page) => [...new Set(collectionIds(page))])
      assert.deepEqual([pages.length, listed.length, new Set(listed).size], [2, 26, 26], sort)
    }
  })

  it('show public profiles of users, with the size of public lists only', async () => {
    const accounts = await createAccounts(db, 4)
    const [open = 0, reviewer = 0, quiet = 0, hidden = 0] = accounts
    const publish = (id: number, name: string, change = {}) =>
      saveProfileSettings(db, id, (stored) => ({ ...stored, is_shown: true, name, ...change }))
    for (const [index, id] of accounts.entries()) {
      await updateProfile(db, id, { nickname: `Sister ${index} ${HOSTILE}` })
      for (const novel of novels.slice(0, index + 1))
        await writeRating(db, id, { kind: 'light_novel', id: novel }, { rate: 7 })
    }
    await writeRating(
      db,
      open,
      { kind: 'light_novel', id: novels[3] ?? 0 },
      { status_private: true },
    )
    await writeRating(db, open, { kind: 'galgame', id: adult }, { rate: 9 })
    await publish(open, 'sister-open', { shows_list: true })
    await publish(reviewer, 'sister-reviewer', { shows_reviews: true })
    await publish(quiet, 'sister-quiet')
    await publish(hidden, 'sister-hidden', { is_shown: false, shows_list: true })

    const list = (query = '') => guest.get(`/users?q=sister${query}`)
    await eventually(async () => profiles(await list()).length === 3, 'three profiles are listed')
    const page = await list()
    assert.equal(profiles(page)[0], 'sister-open')
    assert.deepEqual(profiles(page).toSorted(), ['sister-open', 'sister-quiet', 'sister-reviewer'])
    // Neither private ratings nor adult works count, nor the lists of profiles that do not show them.
    assert.deepEqual(found(page, /class="entry-facts">([^<]*)</g), ['1 work'])
    assert.doesNotMatch(page.text, /<script>alert/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.match(page.text, /<meta name="robots" content="noindex">/)
    assert.equal(profiles(await list('&sort=works'))[0], 'sister-open')
    assert.deepEqual(profiles(await guest.get('/users?q=OPEN')), ['sister-open'])

    await publish(open, 'sister-open', { shows_list: false })
    assert.deepEqual(found(await list(), /class="entry-facts">([^<]*)</g), [], 'hidden at once')
    await publish(open, 'sister-open', { is_shown: false })
    assert.ok(!profiles(await list()).includes('sister-open'), 'hidden at once')
  })

  it('reject invalid positions without a server error', async () => {
    const junk = [
      '%00',
      '%ff',
      '1',
      '_',
      '1_',
      '9_9_9',
      '99999999999999_1',
      '1_99999999999999999',
      HOSTILE,
    ]
    for (const path of [
      '/reviews',
      '/reviews?sort=top',
      '/collections',
      '/collections?sort=largest',
    ])
      for (const value of junk) {
        const url = `${path}${path.includes('?') ? '&' : '?'}after=${value.startsWith('%') ? value : encodeURIComponent(value)}`
        const { status, text } = await guest.get(url)
        assert.ok([400, 422].includes(status), `${url}: ${status}`)
        assert.doesNotMatch(text, /<script>alert/)
      }
    for (const path of [
      '/reviews?sort=x',
      '/collections?q=%25',
      '/users?q=%25_',
      '/users?sort[]=1',
    ])
      assert.equal((await guest.get(path)).status, 200, path)
    assert.equal((await guest.get('/reviews?sort=top&after=3000000000_1')).status, 422)
    assert.equal((await guest.get('/users?page=0')).status, 422)
    assert.equal((await guest.get('/users?page=9999')).status, 200)
  })

  it('are cached for guests unless they list users, and are linked from every page', async () => {
    for (const path of ['/reviews', '/collections']) {
      const { headers, text } = await guest.get(path)
      assert.ok(headers.get('etag'), path)
      assert.match(text, new RegExp(`<link rel="canonical" href="[^"]*${path}">`))
      for (const link of ['/reviews', '/collections', '/users'])
        assert.match(
          text,
          new RegExp(`<details class="drop">.*href="${link}".*<footer.*href="${link}"`, 's'),
        )
    }
    const { text } = await guest.get('/sitemaps/pages.xml')
    assert.match(
      text,
      /\/reviews<\/loc>.*\/collections<\/loc>|\/collections<\/loc>.*\/reviews<\/loc>/s,
    )
    assert.doesNotMatch(text, /\/users<\/loc>/)
  })
})
