import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createUser, signedInBrowser } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { createCollectionOwner } from '#test/collections.ts'
import { startService, type TestService } from '#test/service.ts'
import { waitForTotals } from '#test/ratings.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { queryText } from './db/query.ts'
import { synonymsOf } from './browse/tags/tag-concepts.ts'
import { saveRating } from './ratings/own/queries.ts'

const HTML = { accept: 'text/html,application/xhtml+xml' }

describe('catalog pages', () => {
  let service: TestService
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  async function send(path: string, headers: Record<string, string> = {}) {
    const response = await fetch(service.url + path, {
      headers: { ...HTML, ...headers },
      redirect: 'manual',
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const titlesOf = (text: string) =>
    [...text.matchAll(/<span class="(?:entry-title|name)"[^>]*>([^<]*)</g)].map(
      ([, title = '']) => title,
    )
  /** Paths of the entries that a page links to, keyed by segment. */
  const idsIn = (text: string, path: string) => [
    ...new Set(
      [...text.matchAll(new RegExp(`href="/${path}/(\\d+)"`, 'g'))].map(([, id]) => Number(id)),
    ),
  ]

  async function prefer(browser: PlainBrowser, chosen: Record<string, string>) {
    const { forms } = await browser.get('/account/preferences')
    const form = forms.find(({ action }) => action === '/account/preferences')
    return browser.post('/account/preferences', {
      ...form?.fields,
      nsfw: '',
      of_age: '',
      ...chosen,
    })
  }
  async function adult() {
    const user = await createUser(service, 'Mio')
    const browser = await signedInBrowser(service, user)
    await prefer(browser, { nsfw: 'yes', of_age: 'yes' })
    return { user, browser }
  }

  it('include a home page for browsers, while programs receive 404 at its URL', async () => {
    const home = await send('/')
    assert.equal(home.status, 200)
    assert.match(home.text, /<form class="find" role="search" action="\/search"/)
    assert.match(home.text, /<h2>New releases<\/h2>/)
    assert.ok(titlesOf(home.text).length >= 8)
    const json = await send('/', { accept: 'application/json' })
    assert.equal(json.status, 404)
    assert.match(json.text, /"COMMON_NOT_FOUND"/)
    assert.equal((await send('/')).status, 200, 'the cache holds the whole page')
    assert.equal((await send('/', { accept: '*/*' })).status, 404)
  })

  it("show a new score to guests at once on the work's page, despite the cache", async () => {
    const id = first((await sampleWorks(service.db)).manga)
    const scores = async () =>
      (await send(`/mangas/${id}`)).text.match(/<span class="score">.*?<\/span>/s)?.[0]
    const before = await scores()
    const { id: accountId } = await createUser(service)
    await saveRating(service.db, { accountId, kind: 'manga', workId: id }, null, { rate: 3 })
    // Half of the lifetime of a cached page.
    for (let attempt = 0; (await scores()) === before; attempt += 1) {
      assert.ok(attempt < 150, 'the page has not changed')
      await sleep(100)
    }
  })

  it('name the entry by which a list is filtered, or show its number if it has no name', async () => {
    const [credit] = await queryText<{ person: number; producer: number; character: number }>(
      service.db,
      `select
        (select id from people order by id limit 1) as person,
        (select id from producers order by id limit 1) as producer,
        (select id from characters order by id limit 1) as character`,
      [],
    )
    for (const [filter, path] of [
      ['person', 'people'],
      ['producer', 'producers'],
      ['character', 'characters'],
    ] as const) {
      const heading = /<h1[^>]*>([^<]*)</.exec(
        (await send(`/${path}/${credit?.[filter]}`)).text,
      )?.[1]
      const { text } = await send(`/galgames?${filter}=${credit?.[filter]}`)
      assert.ok(
        heading !== undefined && text.includes(`aria-label="Remove filter: ${heading}"`),
        filter,
      )
      assert.match(
        (await send(`/galgames?${filter}=999999`)).text,
        /aria-label="Remove filter: \w+ 999999"/,
      )
    }
  })

  it('have the same header as sign-in and error pages, with links to the home page, search and lists', async () => {
    for (const path of ['/', '/mangas', '/sign-in', '/nothing', '/oidc/auth', '/galgames?page=0']) {
      const { text } = await send(path)
      assert.match(text, /<a class="skip" href="#content">/, path)
      assert.match(
        text,
        /<a class="brand" href="\/">.*href="\/galgames".*href="\/light-novels".*href="\/mangas"/s,
      )
      assert.match(text, /action="\/search"/, path)
      assert.match(text, /href="\/library"/, path)
    }
    assert.match((await send('/')).text, /Data from <a href="https:\/\/vndb\.org".*ODbL-1\.0/)
  })

  it('suggest entries for the last part of a missing path, but no adult works to guests', async () => {
    for (const path of ['/galgames/clannad', '/nothing/Clannad?x=1']) {
      const { status, text } = await send(path)
      assert.equal(status, 404, path)
      assert.match(
        text,
        /<ul class="near">.*<a class="tap" href="\/galgames\/\d+">CLANNAD<\/a>/s,
        path,
      )
    }
    for (const path of ['/galgames/999999', '/clannad.php', '/%ff', `/${'clannad'.repeat(20)}`])
      assert.doesNotMatch((await send(path)).text, /class="near"/, path)
    const [work] = await queryText<{ id: number; title: string }>(
      service.db,
      `select id, origin_title as title from galgames join works using (id)
       where nsfw and origin_title ~ '^[A-Za-z]{3,}$' order by id limit 1`,
      [],
    )
    assert.ok(work)
    const link = `href="/galgames/${work.id}"`
    assert.ok(!(await send(`/nothing/${work.title}`)).text.includes(link))
    const { browser } = await adult()
    assert.ok((await browser.get(`/nothing/${work.title}`)).text.includes(link))
  })

  it('suggest nothing for missing paths beyond the rate limit of pages', async () => {
    const limited = await startService({ environment: { PAGE_REQUESTS_PER_MINUTE: '2' } })
    try {
      const texts: string[] = []
      for (let request = 1; request <= 3; request += 1) {
        const response = await fetch(`${limited.url}/nothing/clannad`, { headers: HTML })
        assert.equal(response.status, 404)
        texts.push(await response.text())
      }
      assert.doesNotMatch(texts[2] ?? '', /class="near"/)
    } finally {
      await limited.close()
    }
  })

  it('list the entries of each kind that match the query string', async () => {
    const { text } = await send('/galgames?year=2004&sort=name')
    assert.ok(titlesOf(text).includes('CLANNAD'))
    assert.match(text, /<option value="2004" selected>/)
    assert.match(text, /<option value="name" selected>/)
    assert.match(
      text,
      /<ul class="chips active">.*href="\/galgames\?sort=name" aria-label="Remove filter: 2004"/s,
    )
    const years = [...text.matchAll(/class="entry-facts">.*?(\d{4})/g)].map(([, year]) => year)
    assert.deepEqual([...new Set(years)], ['2004'])
    const table = await send('/galgames?view=table')
    assert.match(
      table.text,
      /<table class="cards entries">.*<time datetime="2004-04-28">28 April 2004<\/time>/s,
    )
    const [one, second] = [await send('/light-novels'), await send('/light-novels?page=2')]
    assert.match(one.text, /href="\/light-novels\?page=2" rel="next"/)
    assert.ok(titlesOf(second.text).every((title) => !titlesOf(one.text).includes(title)))
    const withEmptyFields = await send('/people?sort=name&year=&status=')
    assert.equal(withEmptyFields.headers.get('location'), '/people?sort=name')
    for (const path of ['/people', '/producers', '/characters', '/people?sort=name'])
      assert.ok(titlesOf((await send(path)).text).length > 5, path)
    const emptyList = await send('/mangas?year=1234')
    assert.match(emptyList.text, /No entries match.*href="\/mangas">Clear filters/s)
  })

  it('find works by romaji, show the number of results per kind, and can be limited to one kind', async () => {
    const { text } = await send('/search?q=suzumiya%20haruhi')
    assert.equal(titlesOf(text)[0], 'Haruhi Suzumiya')
    assert.match(text, /<input id="find"[^>]*value="suzumiya haruhi"/)
    assert.match(text, /aria-current="true">All <span class="amount">\d+</)
    const people = await send('/search?q=no&type=person')
    assert.deepEqual(idsIn(people.text, 'galgames'), [])
    assert.ok(idsIn(people.text, 'people').length > 1)
    const instant = await send('/search/instant?q=clannad')
    assert.match(instant.text, /^<h2>.*href="\/galgames\/1".*href="\/search\?q=clannad"/s)
    assert.match((await send('/search?q=zzxxyyqqwwvv')).text, /No results for “zzxxyyqqwwvv”/)
    assert.match((await send('/search')).text, /<h1>Search<\/h1>/)
  })

  it('describe a publisher or label with the same word in search results as on its own page', async () => {
    const [row] = await queryText<{ id: number; name: string; type: string }>(
      service.db,
      `select id, name, type from producers where type in ('PUBLISHER', 'LABEL') order by id limit 1`,
      [],
    )
    assert.ok(row)
    const word = row.type === 'LABEL' ? 'Label' : 'Publisher'
    const { text } = await send(`/search?type=producer&q=${encodeURIComponent(row.name)}`)
    const line = text.split('<li>').find((item) => item.includes(`href="/producers/${row.id}"`))
    assert.match(line ?? '', new RegExp(`Producer · ${word}`))
    assert.match((await send(`/producers/${row.id}`)).text, new RegExp(`<dd>${word}`))
  })

  it('list tags, and the works with each tag', async () => {
    const { text } = await send('/tags')
    const [, name = ''] = /href="\/tags\/([^"]+)"/.exec(text) ?? []
    const works = await send(`/tags/${name}`)
    assert.equal(works.status, 200)
    assert.ok(titlesOf(works.text).length > 0)
    assert.match(works.text, new RegExp(decodeURIComponent(name)))
    assert.equal((await send('/tags/no%20such%20tag')).status, 404)
  })

  it('link the page of a tag to a feed of the same works', async () => {
    const path = `/tags/${encodeURIComponent('戀愛')}`
    const page = await send(path)
    const link = /type="application\/atom\+xml" title="([^"]*)" href="([^"]*)"/.exec(page.text)
    assert.deepEqual(link?.slice(1), ['Works tagged Romance', `${path}/works.xml`])
    const { text, headers } = await send(`${path}/works.xml`)
    assert.equal(headers.get('content-type'), 'application/atom+xml; charset=utf-8')
    const updated = [...text.matchAll(/<updated>([^<]*)<\/updated>\s*<category/g)].map(
      ([, at]) => at,
    )
    assert.ok(updated.length > 1)
    assert.deepEqual(updated, updated.toSorted().toReversed())
    const ids = (found: string) => [...new Set(idsIn(found, 'galgames'))].toSorted()
    const feedIds = [...text.matchAll(/<id>[^<]*\/galgames\/(\d+)<\/id>/g)].map(([, id]) =>
      Number(id),
    )
    assert.deepEqual(feedIds.toSorted(), ids((await send(`${path}?sort=changed`)).text))
    assert.equal((await send('/tags/no%20such%20tag/works.xml')).status, 404)
  })

  it('list the tags of each group by the number of their works', async () => {
    const { text } = await send('/tags')
    const groups = text.split('<h2>').slice(1)
    assert.ok(groups.length > 3)
    for (const group of groups) {
      const works = [
        ...group.matchAll(/class="amount" title="([\d,]+) works?( or more)?">\1(\+?)</g),
      ]
      assert.equal(works.length, group.split('href="/tags/').length - 1, group)
      for (const [, , orMore, plus] of works) assert.equal(plus === '+', orMore !== undefined)
      const amounts = works.map(([, amount = '']) => Number(amount.replaceAll(',', '')))
      assert.deepEqual(
        amounts,
        amounts.toSorted((one, other) => other - one),
        group,
      )
    }
    // The spellings overlap, so their numbers are not added up.
    const [romance] = await queryText<{ works: number }>(
      service.db,
      `select max(listing.everybody) as works
       from tag_listings listing join tags tag on tag.id = listing.tag_id where tag.name = any($1::text[])`,
      [synonymsOf('Romance')],
    )
    assert.match(
      text,
      new RegExp(`Romance <span class="amount" title="${romance?.works} works or more"`),
    )
  })

  it('show adult works only to users who have confirmed their age', async () => {
    const nsfw = await sampleWorks(service.db, true)
    const id = first(nsfw.galgame)
    const paths = [
      '/galgames',
      '/galgames?sort=changed',
      '/',
      '/sitemaps/galgames-1.xml',
      '/feeds/new.atom',
      '/galgames?nsfw=true',
    ]
    const guest = async () => {
      for (const path of paths)
        assert.doesNotMatch((await send(path)).text, new RegExp(`/galgames/${id}["<]`), path)
    }
    await guest()
    const { browser } = await adult()
    const list = await browser.get('/galgames')
    assert.ok(idsIn(list.text, 'galgames').includes(id))
    assert.match(list.text, /<select id="by-nsfw"/)
    const only = idsIn((await browser.get('/galgames?nsfw=true')).text, 'galgames')
    assert.deepEqual(new Set(only), new Set(nsfw.galgame))
    await guest()
    const other = await signedInBrowser(service, await createUser(service, 'Other'))
    assert.ok(!idsIn((await other.get('/galgames')).text, 'galgames').includes(id))
    const off = await browser.get('/account/preferences')
    assert.match(off.text, /Age confirmed on/)
    await prefer(browser, {})
    assert.ok(!idsIn((await browser.get('/galgames')).text, 'galgames').includes(id))
  })

  it('do not enable adult content without confirming the age', async () => {
    const browser = await signedInBrowser(service, await createUser(service))
    const refused = await prefer(browser, { nsfw: 'yes' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /Confirm that you are an adult/)
    assert.doesNotMatch((await browser.get('/galgames')).text, /by-nsfw/)
  })

  it('show planned works on the home page only to the user who planned them', async () => {
    const user = await createUser(service, 'Planner')
    const browser = await signedInBrowser(service, user)
    const key = { accountId: user.id, kind: 'galgame' as const, workId: 1 }
    await saveRating(service.db, key, 'test', { status: 'PLAN' })
    const home = await browser.get('/')
    assert.match(home.text, /<h2>Up next<\/h2>/)
    assert.match(home.text, /<span class="name">Planner<\/span>/)
    assert.equal(home.headers.get('cache-control'), 'no-store')
    assert.equal(home.headers.get('etag'), null)
    for (const viewer of [
      new PlainBrowser(service.url),
      await signedInBrowser(service, await createUser(service)),
    ])
      assert.doesNotMatch((await viewer.get('/')).text, /Up next|Planner/)
  })

  it('begin with the works that a signed-in user reads or plays, without the introduction for guests', async () => {
    const user = await createUser(service, 'Player')
    const browser = await signedInBrowser(service, user)
    const key = { accountId: user.id, kind: 'galgame' as const, workId: 1 }
    await saveRating(service.db, key, 'test', { status: 'GOING' })
    const { text } = await browser.get('/')
    assert.equal(text.match(/<h2>([^<]*)</)?.[1], 'Continue')
    assert.doesNotMatch(text, /class="hero"/)
    assert.match(text, /<h1 class="unseen">/)
  })

  it('rank works by score on the home page, with the number of ratings', async () => {
    const { text } = await send('/')
    const [, shelf = ''] = text.split('<h2>Top rated · Galgames</h2>')
    assert.equal(titlesOf(shelf)[0], 'Steins;Gate')
    assert.match(shelf, /★ 8\.9<.*?<p class="entry-facts">17,500 ratings/s)
    assert.doesNotMatch(text, /Newest reviews|Collections by users/)
  })

  it('list the works that were added after the first import on the home page, newest first', async () => {
    assert.doesNotMatch((await send('/')).text, /<h2>New in the catalog</)
    const visible = Object.values(await sampleWorks(service.db)).flat()
    const [newer, older] = visible.toSorted((one, other) => other - one)
    const adults = Object.values(await sampleWorks(service.db, true)).flat()
    await queryText(
      service.db,
      `update works set created_at = created_at + interval '2 days' where id = any($1::bigint[])`,
      [[older, newer, ...adults]],
    )
    try {
      const { browser } = await adult()
      const [, rest = ''] = (await browser.get('/')).text.split('<h2>New in the catalog</h2>')
      const [shelf = ''] = rest.split('</section>')
      const ids = [...shelf.matchAll(/href="\/(?:galgames|light-novels|mangas)\/(\d+)"/g)]
      assert.deepEqual([...new Set(ids.map(([, id]) => Number(id)))], [newer, older])
    } finally {
      await queryText(service.db, 'update works set created_at = now()', [])
    }
  })

  it('list the works that most users read or play first among the trending ones', async () => {
    const manga = (await sampleWorks(service.db)).manga.at(-1) ?? 0
    const user = await createUser(service, 'Trend')
    const key = { accountId: user.id, kind: 'manga', workId: manga } as const
    await saveRating(service.db, key, null, { status: 'GOING' })
    await waitForTotals(service.db)
    const viewer = await signedInBrowser(service, await createUser(service))
    const [, shelf = ''] = (await viewer.get('/')).text.split('<h2>Trending</h2>')
    const [, found] = /class="entry"[^>]*>.*?href="\/[a-z-]+\/(\d+)"/s.exec(shelf) ?? []
    assert.equal(Number(found), manga)
  })

  it('join the tags of the sources, in the language of the viewer and without the names on the page', async () => {
    const chipsOf = (text: string) => [
      ...(text.match(/<nav aria-label="[^"]*"><ul class="chips">.*?<\/ul>/s)?.[0] ?? '').matchAll(
        /<a href="([^"]*)">([^<]*)</g,
      ),
    ]
    const english = chipsOf((await send('/galgames/1')).text)
    assert.deepEqual(
      english.map(([, , text]) => text),
      ['Romance', 'Family', 'Tearjerker', 'Philosophical', 'key'].filter((text) => text !== 'key'),
    )
    const chinese = chipsOf((await send('/galgames/1', { 'accept-language': 'zh-CN' })).text)
    assert.deepEqual(chinese[0]?.slice(1), ['/tags/Romance', '恋爱'])
    const works = titlesOf((await send('/tags/Romance')).text)
    assert.ok(works.includes('CLANNAD'), works.join())
    const listed = titlesOf((await send(`/galgames?tag=${encodeURIComponent('戀愛')}`)).text)
    assert.ok(listed.includes('CLANNAD'), listed.join())
    const { text } = await send('/tags')
    assert.match(text, /<h2>Genre<\/h2>.*>Romance .*<h2>Other tags<\/h2>/s)
    assert.doesNotMatch(text, />(?:CLANNAD|PC|galgame|key)</)
  })

  it('show the newest reviews and public collections on the home page, without spoilers', async () => {
    const owner = await createCollectionOwner(service)
    const works = (await sampleWorks(service.db)).galgame.slice(0, 4)
    for (const name of ['Shown to all', 'Own secret']) {
      const { id } = await owner.create({ name, is_private: name === 'Own secret' })
      for (const work of works) await owner.put(id, `galgames/${work}`)
    }
    const { id: accountId } = await createUser(service, 'Critic')
    const review = (workId: number | undefined, rate_content: string, is_spoiler: boolean) =>
      saveRating(service.db, { accountId, kind: 'galgame', workId: workId ?? 0 }, null, {
        rate_content,
        is_spoiler,
      })
    await review(works[0], 'Worth a whole winter. <b>Twice</b>', false)
    await review(works[1], 'The butler did it.', true)
    const user = await signedInBrowser(service, await createUser(service))
    const { text } = await user.get('/')
    assert.match(
      text,
      /Newest reviews.*Worth a whole winter\. &lt;b>Twice&lt;\/b>|Newest reviews.*Worth a whole winter\. &lt;b&gt;Twice/s,
    )
    assert.match(text, /Critic · <time/)
    assert.match(text, /Collections by users.*class="mosaic of-4".*Shown to all/s)
    assert.doesNotMatch(text, /The butler|Own secret/)

    const [, link = ''] =
      /href="([^"]*\/reviews\/\d+)"[^>]*>[^<]*<\/a><\/h3>(?:(?!<\/li>)[^])*Worth a whole winter/.exec(
        text,
      ) ?? []
    assert.match((await user.get(link)).text, /<h2>Review by Critic<\/h2>.*Worth a whole winter/s)
  })

  it('are cached for guests by language and theme, and return 304 for a current ETag', async () => {
    const { headers, text } = await send('/mangas')
    assert.equal(headers.get('cache-control'), 'private, no-cache')
    assert.match(headers.get('vary') ?? '', /Accept-Language.*Cookie/)
    assert.doesNotMatch(headers.get('content-security-policy') ?? '', /https:|unsafe/)
    const etag = headers.get('etag') ?? ''
    const repeated = await send('/mangas', { 'if-none-match': etag })
    assert.deepEqual([repeated.status, repeated.text], [304, ''])
    assert.equal((await send('/mangas')).text, text)
    const japanese = await send('/mangas', { 'accept-language': 'ja' })
    assert.match(japanese.text, /<html lang="ja">.*<h1>漫画<\/h1>/s)
    const dark = await send('/mangas', { cookie: 'mokuroku-theme=dark' })
    assert.match(dark.text, /<html lang="en" data-theme="dark">/)
    assert.equal((await send('/mangas')).text, text)
  })

  it('have the same content whether or not they come from the cache, whatever their length and encoding', async () => {
    const lengths: number[] = []
    for (const path of [
      '/',
      '/galgames/1',
      '/galgames?year=1901',
      '/galgames?year=1901&ui_locales=ja',
    ])
      for (const encoding of ['identity', 'gzip', 'br']) {
        const created = await send(path, { 'accept-encoding': encoding })
        const cached = await send(path, { 'accept-encoding': encoding })
        assert.deepEqual(
          [cached.status, cached.text],
          [200, created.text],
          `${path} in ${encoding}`,
        )
        assert.equal(cached.headers.get('etag'), created.headers.get('etag'))
        assert.match(cached.text, path.endsWith('=ja') ? /<html lang="ja">/ : /<html lang="en">/)
        lengths.push(Buffer.byteLength(cached.text))
      }
    assert.ok(Math.min(...lengths) < 15_000 && Math.max(...lengths) > 16_384, lengths.join(', '))
  })

  it('store a chosen language or theme and return to the same page', async () => {
    const browser = new PlainBrowser(service.url)
    const dark = await browser.get('/galgames?year=2004&theme=dark')
    assert.equal(dark.url, `${service.url}/galgames?year=2004`)
    assert.match(dark.text, /data-theme="dark"/)
    assert.match((await browser.get('/people?lang=ja')).text, /<html lang="ja" data-theme="dark">/)
    assert.match((await browser.get('/sign-in')).text, /data-theme="dark"/)
  })

  it('have metadata for search engines, with one URL for each language', async () => {
    const { text } = await send('/light-novels')
    const site = service.config.authUrl
    assert.match(text, /<meta name="description" content="Light novels by year/)
    assert.ok(text.includes(`<link rel="canonical" href="${site}/light-novels">`))
    assert.ok(text.includes(`hreflang="ja" href="${site}/light-novels?ui_locales=ja"`))
    assert.match(text, /<meta property="og:title" content="Light novels">/)
    const japanese = await send('/light-novels?ui_locales=ja')
    assert.match(japanese.text, /<html lang="ja">/)
    assert.ok(
      japanese.text.includes(`<link rel="canonical" href="${site}/light-novels?ui_locales=ja">`),
    )
    const [, data = ''] =
      /<script type="application\/ld\+json">(.*?)<\/script>/.exec((await send('/')).text) ?? []
    assert.deepEqual(JSON.parse(data)['@type'], 'WebSite')
    assert.match(
      (await send('/light-novels?year=2011')).text,
      /<meta name="robots" content="noindex">/,
    )
  })
})
