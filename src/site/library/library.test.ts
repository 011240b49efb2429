import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { submitSignIn } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  createLibraryUser,
  USER_PASSWORD,
  worksOfEachKind,
  type LibraryUser,
  type WorksOfEachKind,
} from '#test/library-user.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { savePreferences } from '../../accounts/preferences/queries.ts'
import { queryText } from '../../db/query.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'

describeOnDatabase('a user’s list', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: LibraryUser
  before(async () => {
    service = await shareService(engine)
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    user = await createLibraryUser(service, works)
  })

  it('requires a sign-in, which leads back to the requested page', async () => {
    const { email } = await createLibraryUser(service, works)
    const guest = new PlainBrowser(service.url)
    const signInPage = await guest.get('/library?status=PLAN')
    assert.equal(new URL(signInPage.url).pathname, '/sign-in')
    const landed = await guest.submit(signInPage, { email, password: USER_PASSWORD })
    assert.equal(landed.url, `${service.url}/library?status=PLAN`)
    assert.equal((await guest.get('/library')).headers.get('cache-control'), 'no-store')
  })

  it('never redirects to another site after the sign-in', async () => {
    const { email } = await createLibraryUser(service, works)
    for (const path of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const guest = new PlainBrowser(service.url)
      guest.setCookie('mokuroku-way-back', encodeURIComponent(path))
      const landed = await submitSignIn(guest, { email, password: USER_PASSWORD })
      assert.equal(landed.location, undefined, path)
      assert.equal(new URL(landed.url).origin, service.url)
    }
  })

  it('shows an adult work by name, without its picture or a link, until its user allows adult content', async () => {
    const id = first((await sampleWorks(service.db, true)).galgame)
    await user.mark({ status: 'PLAN', rate: '' }, `galgames/${id}`)
    await user.send(`/library/collections/of/galgames/${id}`, { new: 'With it' })
    const [collection] = await queryText<{ id: number }>(
      service.db,
      `select id from collections where account_id = $1 and name = 'With it'`,
      [user.accountId],
    )
    const pages = ['/library', `/library/galgames/${id}`, `/library/collections/${collection?.id}`]
    const leadsOn = new RegExp(`href="/galgames/${id}"|/images/galgames/${id}/`)
    for (const path of pages) {
      const page = await user.browser.get(path)
      assert.equal(page.status, 200, path)
      assert.doesNotMatch(page.text, leadsOn, path)
    }
    assert.match(
      (await user.browser.get('/library')).text,
      new RegExp(`href="/library/galgames/${id}[?"]`),
    )
    await savePreferences(service.db, user.accountId, true)
    for (const path of pages) assert.match((await user.browser.get(path)).text, leadsOn, path)
    assert.equal((await user.browser.get(`/galgames/${id}`)).status, 200)
  })

  it('suggests what to do next while it is empty', async () => {
    const { browser } = user
    const page = await browser.get('/library')
    assert.equal(page.status, 200)
    assert.match(page.text, /Your list is empty/)
  })

  it('can be filtered by status, kind and part of a title, and sorted', async () => {
    const { novel, game, manga } = works
    const { browser, mark } = user
    await mark({ status: 'COMPLETED', rate: '6' })
    await mark({ status: 'PLAN', rate: '9' }, `galgames/${game}`)
    await mark({ status: 'PLAN', rate: '' }, `mangas/${manga}`)
    const linesAt = async (query: string) =>
      [
        ...(await browser.get(`/library${query}`)).text.matchAll(
          /<(?:li|tr)[^>]* id="([a-z_]+)-(\d+)" data-item>/g,
        ),
      ].map(([, kind, id]) => `${kind} ${id}`)
    const [a, b, c] = [`light_novel ${novel}`, `galgame ${game}`, `manga ${manga}`]
    assert.deepEqual(await linesAt(''), [a, c, b], 'in groups by status')
    const headings = (await browser.get('/library')).text.matchAll(/<h2>(.*?) <span[^>]*>(\d+)</g)
    assert.deepEqual(
      [...headings].map(([, name, amount]) => `${name} ${amount}`),
      ['Finished 1', 'Planned 2'],
    )
    assert.deepEqual(await linesAt('?status=PLAN'), [c, b])
    assert.deepEqual(await linesAt('?status=PLAN&kind=mangas'), [c])
    assert.deepEqual(await linesAt('?sort=score'), [a, b, c])
    assert.deepEqual(await linesAt('?sort=score&view=table'), [b, a, c])
    for (const view of ['rows', 'table'])
      for (const sort of ['name', 'date'])
        assert.equal((await linesAt(`?sort=${sort}&view=${view}`)).length, 3)
    await browser.get('/library?view=rows')
    const [{ name } = { name: '' }] = await queryText<{ name: string }>(
      service.db,
      'select name from light_novels where id = $1',
      [novel],
    )
    assert.deepEqual(await linesAt(`?q=${encodeURIComponent(name.slice(0, 3))}`), [a])
    assert.deepEqual(await linesAt(`?q=${encodeURIComponent("%_'\\")}`), [])
    // Pages show the English title.
    const [{ en_name } = { en_name: null }] = await queryText<{ en_name: string | null }>(
      service.db,
      'select en_name from light_novels where id = $1',
      [novel],
    )
    const nameIt = (title: string | null) =>
      queryText(service.db, 'update light_novels set en_name = $2 where id = $1', [novel, title])
    await nameIt('Tales of Nowhere')
    assert.deepEqual(await linesAt('?q=OF+nowhere'), [a])
    assert.match((await browser.get('/library?q=OF+nowhere')).text, /All <span class="amount">1</)
    await nameIt(en_name)
    assert.deepEqual(await linesAt('?page=2'), [])
    assert.match((await browser.get('/library')).text, /Planned <span class="amount">2</)
    for (const query of ['?page=0', '?page=x', '?page=-1'])
      assert.equal((await browser.get(`/library${query}`)).status, 422, query)
    assert.deepEqual(await linesAt('?status=NO&kind=films&sort=luck'), [a, c, b])
  })

  it('shows covers, rows or a table, and remembers the view', async () => {
    const { novel } = works
    const { browser, mark } = user
    await mark({ status: 'COMPLETED', rate: '8.5' })
    const viewAt = async (path: string) => {
      const { text } = await browser.get(path)
      assert.match(text, /Finished/, path)
      assert.match(text, /★ 8\.5/, path)
      assert.match(
        text,
        new RegExp(`href="/library/light-novels/${novel}\\?back=[^"]*" data-mark-link`),
      )
      return ['own-rows', 'own-table', 'grid of-cover'].filter((name) =>
        text.includes(`class="${name}`),
      )
    }
    const isTable = async (path: string) =>
      (await browser.get(path)).text.includes('class="cards entries own-table"')
    assert.deepEqual(await viewAt('/library'), ['own-rows'])
    assert.deepEqual(await viewAt('/library?view=covers'), ['grid of-cover'])
    assert.deepEqual(await viewAt('/library'), ['grid of-cover'])
    assert.equal(await isTable('/library?view=table'), true)
    assert.equal(await isTable('/library?status=COMPLETED'), true)
    assert.match(
      (await browser.get('/library?sort=score')).text,
      /aria-sort="descending"><a href="\/library\?sort=score&amp;reverse=1">Score/,
    )
    assert.equal(await isTable('/library?view=shelf'), true, 'unknown views are ignored')
  })

  it('offers scores in steps of half a point', async () => {
    const { novel } = works
    const { browser, mark, stored } = user
    await mark({ status: 'COMPLETED', rate: '7.3' })
    const { text } = await browser.get(`/library/light-novels/${novel}/mark`)
    const scores = [...text.matchAll(/<option value="([\d.]+)"/g)].map(([, value]) => Number(value))
    const halves = Array.from({ length: 19 }, (_, index) => 10 - index / 2)
    assert.deepEqual(
      scores,
      [...halves, 7.3].toSorted((a, b) => b - a),
    )
    await mark({ rate: '9.5' })
    assert.equal((await stored())?.rate, 9.5)
  })

  it('updates several selected works at once, or says that no work is selected', async () => {
    const { novel, manga } = works
    const { accountId, browser, mark, stored } = user
    await mark({ status: 'GOING', rate: '6' })
    await mark({ status: 'PLAN', rate: '' }, `mangas/${manga}`)
    const chosen = `work=light-novels%2F${novel}&work=mangas%2F${manga}&work=films%2F1&work=mangas%2F0`
    const page = await browser.get('/library')
    const post = (fields: string) =>
      browser.post(
        '/library/several',
        new URLSearchParams(`_csrf=${encodeURIComponent(csrfTokenOf(page))}&${fields}`),
      )
    const done = await post(`${chosen}&act=status&status=DROPPED`)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['DROPPED', 6])
    assert.match(done.text, /role="status"><p>Saved 2 works\./)
    assert.equal((await post('act=status&status=PLAN')).status, 422)
    assert.equal((await post(`${chosen}&act=status&status=NO`)).status, 422)
    assert.equal((await stored())?.status, 'DROPPED')
    const removed = await post(`${chosen}&act=remove`)
    assert.equal(await stored(), undefined)
    assert.ok(
      removed.forms.some(({ buttons }) => buttons.some(({ value }) => value === 'undo')),
      'there is a way to undo it',
    )
    const change = removed.forms.find(({ fields }) => 'change' in fields)?.fields['change'] ?? ''
    const undone = await post(`change=${encodeURIComponent(change)}&act=undo`)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['DROPPED', 6])
    assert.doesNotMatch(undone.text, /Saved \d/)
    const repeated = await post(`${chosen}&act=status&status=PLAN`)
    assert.match((await browser.get(repeated.url)).text, /Saved \d/)
    await queryText(
      service.db,
      `update rating_changes set changed_at = changed_at - interval '1 hour' where account_id = $1`,
      [accountId],
    )
    assert.doesNotMatch((await browser.get(repeated.url)).text, /Saved \d/, 'that was long ago')
  })

  it('updates none of the selected works if one has been deleted, and names the deleted work', async () => {
    const { novel, manga } = works
    const { browser, mark, stored, accountId } = user
    await mark({ status: 'GOING', rate: '6' })
    const page = await browser.get('/library')
    const post = (path: string, fields: string) =>
      browser.post(
        '/library/several',
        new URLSearchParams(
          `_csrf=${encodeURIComponent(csrfTokenOf(page))}&work=light-novels%2F${novel}&work=${encodeURIComponent(path)}&${fields}`,
        ),
      )
    // A path whose kind does not match its work, and a work that never existed.
    for (const path of [`light-novels/${manga}`, 'mangas/999999']) {
      const refused = await post(path, 'act=status&status=DROPPED')
      assert.equal(refused.status, 422)
      assert.match(
        refused.text,
        new RegExp(
          `${path.startsWith('m') ? 'Manga' : 'Light novel'} \\d+ is no longer in the catalog`,
        ),
      )
      assert.equal((await stored())?.status, 'GOING')
    }
    const history = await queryText(
      service.db,
      'select from rating_changes where account_id = $1',
      [accountId],
    )
    assert.equal(history.length, 1)
    await post(`mangas/${manga}`, 'act=status&status=DROPPED')
    assert.equal((await stored())?.status, 'DROPPED')
  })

  it('shows its history with the app that made each change', async () => {
    const { browser, mark } = user
    await mark({ status: 'GOING', rate: '6' })
    await mark({ status: 'COMPLETED', rate: '8' })
    const page = await browser.get('/library/history')
    assert.match(page.text, /Reading → Finished</)
    assert.match(page.text, /6\.0 → 8\.0/)
    assert.match(
      page.text,
      />\d+ \w+ \d{4}, \d\d:\d\d UTC<\/time>/,
      'as every other page tells a moment',
    )
    assert.equal(page.status, 200)
  })

  it('can be exported only by its owner', async () => {
    const { novel } = works
    const { browser, mark } = user
    await mark({ status: 'COMPLETED', rate: '8' })
    const csv = await browser.get('/library/export.csv')
    assert.equal(csv.status, 200)
    assert.match(
      csv.headers.get('content-disposition') ?? '',
      /attachment; filename="mokuroku-list-[\d-]+\.csv"/,
    )
    assert.equal(csv.headers.get('cache-control'), 'no-store')
    assert.match(csv.text, new RegExp(`light_novel,${novel},`, 'i'))
    const { data } = JSON.parse((await browser.get('/library/export.json')).text) as {
      data: { ratings: { work_id: number; rate: number }[] }
    }
    assert.deepEqual(
      data.ratings.map(({ work_id, rate }) => [work_id, rate]),
      [[novel, 8]],
    )
    assert.equal(
      new URL((await new PlainBrowser(service.url).get('/library/export.csv')).url).pathname,
      '/sign-in',
    )
  })

  it('has statistics by score, kind, year and month, and of the tags and people rated highest', async () => {
    const { browser, mark, send } = user
    assert.match((await browser.get('/library/statistics')).text, /Your list is empty/)
    const works = (await sampleWorks(service.db)).galgame.slice(0, 4)
    for (const [index, id] of works.entries())
      await mark({ status: 'COMPLETED', rate: String(9 - index / 2) }, `galgames/${id}`)
    await mark({ status: 'PLAN', rate: '' })
    await send(`/library/galgames/${first(works)}`, { status: 'COMPLETED', rate: '9', hours: '10' })
    await queryText(
      service.db,
      `update works set tags = '[{"name": "kind <of> tears", "likes": 1}]' where id = any($1)`,
      [works],
    )
    const { text } = await browser.get('/library/statistics')
    const rowOf = (label: string) =>
      new RegExp(`<th scope="row">(?:<a [^>]*>)?${label}(?:</a>)?</th>(?:(?!</tr>)[^])*</tr>`).exec(
        text,
      )?.[0] ?? ''
    // 9, 8.5, 8 and 7.5, rounded down.
    assert.match(rowOf('9'), /class="number">1</)
    assert.match(rowOf('8'), /class="number">2</)
    assert.match(rowOf('10'), /class="number">0</)
    assert.match(rowOf('Galgame'), /class="number">4<.*★ 8\.[23]</s)
    assert.match(rowOf('kind &lt;of&gt; tears'), /class="number">4</)
    assert.match(text, /<dt>Time spent<\/dt><dd>10 h</)
    assert.match(text, /<dt>Average score<\/dt><dd>.*★ 8\.3</)
    assert.match(rowOf('2000s'), /class="number">\d</)
    const month = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', timeZone: 'UTC' })
    const [columns = ''] = /<ol class="month-columns">.*?<\/ol>/.exec(text) ?? []
    assert.deepEqual(
      [...columns.matchAll(/class="number">(\d+)<.*?class="unseen">(.*?)</g)].map((found) =>
        [...found].slice(1),
      ),
      [['4', month.format(new Date())]],
      'months before the first finished work are left out',
    )
    const other = await new PlainBrowser(service.url).get('/library/statistics')
    assert.equal(new URL(other.url).pathname, '/sign-in')
  })

  it('joins the tags of its works by meaning, and omits those that do not describe content', async () => {
    const { accountId, browser, mark } = user
    const works = (await sampleWorks(service.db)).galgame.slice(0, 4)
    for (const id of works) await mark({ status: 'COMPLETED', rate: '8' }, `galgames/${id}`)
    await queryText(
      service.db,
      `update works set tags = '[{"name": "恋愛"}, {"name": "romance"}, {"name": "galgame"}, {"name": "2004"}, {"name": "Key"}, {"name": "kind"}]'
      where id = any($1)`,
      [works],
    )
    const year = new Date().getUTCFullYear()
    for (const path of ['/library/statistics', `/library/statistics?year=${year}`]) {
      const { text } = await browser.get(path)
      const tags = [...text.matchAll(/<a href="\/tags\/[^"]*">(.*?)<\/a>.*?class="number">(\d+)</g)]
      assert.deepEqual(
        tags.map(([, name, amount]) => [name, amount]),
        [
          ['Romance', '4'],
          ['kind', '4'],
        ],
      )
    }
    const { text } = await browser.get('/library/statistics?ui_locales=ja')
    assert.match(text, /<a href="\/tags\/Romance">恋愛<\/a>/)
    await saveProfileSettings(service.db, accountId, (stored) => ({
      ...stored,
      is_shown: true,
      shows_statistics: true,
    }))
    for (const path of [`/u/${accountId}`, `/u/${accountId}/statistics`]) {
      const profile = await browser.get(path)
      const tags = [...profile.text.matchAll(/<a href="\/tags\/[^"]*">(.*?)<\/a>/g)]
      assert.deepEqual(
        tags.map(([, name]) => name),
        ['Romance', 'kind'],
        path,
      )
    }
  })
})
