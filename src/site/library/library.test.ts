import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import {
  csrfTokenOf,
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
      const landed = await guest.submit(await guest.get('/sign-in'), {
        email,
        password: USER_PASSWORD,
      })
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
          /class="own-line" id="([a-z_]+)-(\d+)"/g,
        ),
      ].map(([, kind, id]) => `${kind} ${id}`)
    const [a, b, c] = [`light_novel ${novel}`, `galgame ${game}`, `manga ${manga}`]
    assert.deepEqual(await linesAt(''), [c, b, a])
    assert.deepEqual(await linesAt('?status=PLAN'), [c, b])
    assert.deepEqual(await linesAt('?status=PLAN&kind=mangas'), [c])
    assert.deepEqual(await linesAt('?sort=score'), [b, a, c])
    assert.equal((await linesAt('?sort=name')).length, 3)
    assert.equal((await linesAt('?sort=date')).length, 3)
    const [{ name } = { name: '' }] = await queryText<{ name: string }>(
      service.db,
      'select name from light_novels where id = $1',
      [novel],
    )
    assert.deepEqual(await linesAt(`?q=${encodeURIComponent(name.slice(0, 3))}`), [a])
    assert.deepEqual(await linesAt(`?q=${encodeURIComponent("%_'\\")}`), [])
    assert.deepEqual(await linesAt('?page=2'), [])
    assert.match((await browser.get('/library')).text, /Planned <span class="amount">2</)
    for (const query of ['?page=0', '?page=x', '?page=-1'])
      assert.equal((await browser.get(`/library${query}`)).status, 422, query)
    assert.deepEqual(await linesAt('?status=NO&kind=films&sort=luck'), [c, b, a])
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
    assert.match(page.text, /Reading → Read</)
    assert.match(page.text, /6 → 8/)
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
    assert.match(text, /<dt>Hours<\/dt><dd>10</)
    assert.match(rowOf('2000s'), /class="number">\d</)
    const month = new Intl.DateTimeFormat('en', {
      year: 'numeric',
      month: 'short',
      timeZone: 'UTC',
    })
    assert.match(rowOf(month.format(new Date())), /class="number">4</)
    const other = await new PlainBrowser(service.url).get('/library/statistics')
    assert.equal(new URL(other.url).pathname, '/sign-in')
  })
})
