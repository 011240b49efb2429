import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { addAccount } from '#test/accounts.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { onOneDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { first, sampleWorks } from '#test/works.ts'
import { queryRows } from '../../db/query.ts'
import { findRating } from '../../ratings/own/queries.ts'

const PASSWORD = 'a long enough one'
const HOSTILE = `"><script>alert(1)</script>'`

onOneDatabase('a reader’s list', (engine) => {
  let service: TestService
  let novel: number
  let game: number
  let manga: number
  before(async () => {
    service = await startService({ engine })
    const works = await sampleWorks(service.db)
    novel = first(works.light_novel)
    game = first(works.galgame)
    manga = first(works.manga)
  })
  after(() => service.close())

  let browser: PlainBrowser
  let accountId: number
  let readers = 0
  beforeEach(async () => {
    const email = `list-${++readers}@example.com`
    accountId = await addAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    browser = new PlainBrowser(service.url)
    const signIn = await browser.get('/sign-in')
    await browser.submit(signIn, { email, password: PASSWORD })
  })

  const csrfOf = ({ forms }: Visit) => forms.find(({ fields }) => '_csrf' in fields)?.fields['_csrf'] ?? ''
  /** Sends a form of the page of a work, which has one whatever the reader has. */
  async function send(path: string, fields: Record<string, string>): Promise<Visit> {
    const page = await browser.get(`/library/light-novels/${novel}`)
    return browser.post(path, { _csrf: csrfOf(page), ...fields })
  }
  const mark = (fields: Record<string, string>, path = `light-novels/${novel}`) =>
    send(`/library/${path}/mark`, { back: '/library', ...fields })
  const stored = () => findRating(service.db, { accountId, kind: 'light_novel', workId: novel })
  const undo = (visit: Visit) => {
    const form = visit.forms.find(({ action }) => action.endsWith('/undo'))
    assert.ok(form, 'there is a way to undo it')
    return browser.submit(visit, {}, form)
  }

  it('is for who is signed in: others are asked to, and led to where they wanted to go', async () => {
    const email = `back-${readers}@example.com`
    await addAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    const guest = new PlainBrowser(service.url)
    const asked = await guest.get('/library?status=PLAN')
    assert.equal(new URL(asked.url).pathname, '/sign-in')
    const landed = await guest.submit(asked, { email, password: PASSWORD })
    assert.equal(landed.url, `${service.url}/library?status=PLAN`)
    assert.equal((await guest.get('/library')).headers.get('cache-control'), 'no-store')
  })

  it('leads nobody to another site after signing in', async () => {
    const email = `away-${readers}@example.com`
    await addAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    for (const address of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const guest = new PlainBrowser(service.url)
      guest.setCookie('mokuroku-way-back', encodeURIComponent(address))
      const landed = await guest.submit(await guest.get('/sign-in'), { email, password: PASSWORD })
      assert.equal(landed.location, undefined, address)
      assert.equal(new URL(landed.url).origin, service.url)
    }
  })

  it('says what to do while it is empty', async () => {
    const page = await browser.get('/library')
    assert.equal(page.status, 200)
    assert.match(page.text, /Nothing is on your list yet/)
  })

  it('takes a status and a score from any page, and leads back there', async () => {
    const saved = await mark({ status: 'COMPLETED', rate: '8,5', back: '/library?status=COMPLETED' })
    assert.match(saved.url, /\/library\?status=COMPLETED&done=/)
    const rating = await stored()
    assert.deepEqual([rating?.status, rating?.rate], ['COMPLETED', 8.5])
    assert.match(saved.text, /is saved/)
    assert.match(saved.text, /selected>★ 8\.5</)
    assert.doesNotMatch((await browser.get('/library?status=PLAN')).text, /class="own-line"/)
  })

  it('changes only what a form sends', async () => {
    await mark({ status: 'COMPLETED', rate: '8' })
    await mark({ rate: '9' })
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['COMPLETED', 9])
    await mark({ status: '', rate: '' })
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], [null, null])
  })

  it('leads nowhere else, whatever a form says', async () => {
    for (const back of [
      '//evil.example/',
      'https://evil.example/',
      '/\\evil.example',
      'javascript:alert(1)',
    ]) {
      const saved = await mark({ status: 'PLAN', rate: '', back })
      assert.equal(saved.location, undefined, back)
      assert.equal(new URL(saved.url).origin, service.url)
    }
  })

  it('puts nothing on the list when nothing was chosen', async () => {
    await mark({ status: '', rate: '' })
    assert.equal(await stored(), undefined)
  })

  it('undoes a change, what was new, and what was taken off, and undoes that again', async () => {
    const created = await mark({ status: 'PLAN', rate: '' })
    await undo(created)
    assert.equal(await stored(), undefined)
    await send(`/library/light-novels/${novel}`, {
      status: 'COMPLETED',
      rate: '7',
      rate_plot: '6.5',
      rate_content: 'Good.',
      is_spoiler: 'yes',
    })
    const whole = await stored()
    const changed = await mark({ status: 'DROPPED', rate: '3' })
    const back = await undo(changed)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['COMPLETED', 7])
    const again = await browser.get(`${back.url}?done=light-novels/${novel}`)
    await undo(again)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['DROPPED', 3])
    await undo(await browser.get(`/library?done=light-novels/${novel}`))
    const removed = await send(`/library/light-novels/${novel}/delete`, {})
    assert.match(removed.text, /is off your list/)
    assert.equal(await stored(), undefined)
    await undo(removed)
    const restored = await stored()
    for (const field of ['status', 'rate', 'rate_plot', 'rate_content', 'is_spoiler'] as const)
      assert.deepEqual(restored?.[field], whole?.[field], field)
  })

  it('brings back a record of scores alone as one, and offers to undo nothing that is long ago', async () => {
    await mark({ status: '', rate: '7' })
    await undo(await send(`/library/light-novels/${novel}/delete`, {}))
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], [null, 7])
    await queryRows(
      service.db,
      `update rating_changes set changed_at = changed_at - interval '1 hour' where account_id = $1`,
      [accountId],
    )
    const page = await browser.get(`/library?done=light-novels/${novel}`)
    assert.ok(!page.forms.some(({ action }) => action.endsWith('/undo')))
  })

  it('offers to undo nothing that another reader did', async () => {
    await mark({ status: 'PLAN', rate: '' })
    const email = `other-${readers}@example.com`
    await addAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    const other = new PlainBrowser(service.url)
    await other.submit(await other.get('/sign-in'), { email, password: PASSWORD })
    const page = await other.get(`/library?done=light-novels/${novel}`)
    assert.ok(!page.forms.some(({ action }) => action.endsWith('/undo')))
    const own = await other.get(`/library/light-novels/${novel}`)
    await other.post(`/library/light-novels/${novel}/undo`, { _csrf: csrfOf(own) })
    assert.equal((await stored())?.status, 'PLAN')
  })

  it('keeps the whole record of a form', async () => {
    await send(`/library/galgames/${game}`, {
      status: 'COMPLETED',
      rate: '９',
      rate_music: '10',
      rate_system: '',
      rate_content: `First.\r\n\r\n${HOSTILE}`,
      status_private: 'yes',
      hours: '12',
      minutes: '30',
    })
    const rating = await findRating(service.db, { accountId, kind: 'galgame', workId: game })
    assert.deepEqual(
      [rating?.rate, rating?.rate_music, rating?.rate_system, rating?.time_to_finish_minutes],
      [9, 10, null, 750],
    )
    assert.deepEqual([rating?.status_private, rating?.is_spoiler], [true, false])
    assert.equal(rating?.rate_content, `First.\n\n${HOSTILE}`)
    const page = await browser.get(`/library/galgames/${game}`)
    assert.ok(!page.text.includes('<script>alert'))
    assert.match((await browser.get('/library')).text, /Private/)
  })

  it('shows a review before it is saved, as others will read it', async () => {
    const page = await send(`/library/mangas/${manga}`, {
      act: 'preview',
      status: 'GOING',
      rate: '',
      rate_content: `One\n\nTwo ${HOSTILE}`,
    })
    assert.equal(page.status, 200)
    assert.match(page.text, /<p>One<\/p><p>Two &quot;&gt;/)
    assert.equal(await findRating(service.db, { accountId, kind: 'manga', workId: manga }), undefined)
  })

  it('names each field that is wrong, keeps what was written, and stores nothing', async () => {
    const page = await send(`/library/light-novels/${novel}`, {
      status: 'SLEEPING',
      rate: '11',
      rate_plot: 'very',
      rate_pacing: '7.55',
      hours: '-1',
      rate_content: 'x'.repeat(5_001),
    })
    assert.equal(page.status, 422)
    for (const name of ['rate', 'rate_plot', 'rate_pacing', 'hours', 'rate_content'])
      assert.match(page.text, new RegExp(`id="${name}-error"`), name)
    assert.match(page.text, /Choose one of the statuses/)
    assert.match(page.text, /value="very"/)
    assert.match(page.text, /value="7\.55"/)
    assert.equal(await stored(), undefined)
    assert.equal((await mark({ rate: '0' })).status, 422)
    const long = await send(`/library/light-novels/${novel}`, { status: '', rate: '', hours: '8761' })
    assert.equal(long.status, 422)
    assert.equal(await stored(), undefined)
  })

  it('is narrowed by status, kind and part of a title, and put in order', async () => {
    await mark({ status: 'COMPLETED', rate: '6' })
    await mark({ status: 'PLAN', rate: '9' }, `galgames/${game}`)
    await mark({ status: 'PLAN', rate: '' }, `mangas/${manga}`)
    const linesAt = async (query: string) =>
      [
        ...(await browser.get(`/library${query}`)).text.matchAll(/class="own-line" id="([a-z_]+)-(\d+)"/g),
      ].map(([, kind, id]) => `${kind} ${id}`)
    const [a, b, c] = [`light_novel ${novel}`, `galgame ${game}`, `manga ${manga}`]
    assert.deepEqual(await linesAt(''), [c, b, a])
    assert.deepEqual(await linesAt('?status=PLAN'), [c, b])
    assert.deepEqual(await linesAt('?status=PLAN&kind=mangas'), [c])
    assert.deepEqual(await linesAt('?sort=score'), [b, a, c])
    assert.equal((await linesAt('?sort=name')).length, 3)
    assert.equal((await linesAt('?sort=date')).length, 3)
    const [{ name } = { name: '' }] = await queryRows<{ name: string }>(
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

  it('changes several at once, or says that none was chosen', async () => {
    await mark({ status: 'GOING', rate: '6' })
    await mark({ status: 'PLAN', rate: '' }, `mangas/${manga}`)
    const chosen = `work=light-novels%2F${novel}&work=mangas%2F${manga}&work=films%2F1&work=mangas%2F0`
    const page = await browser.get('/library')
    const post = (fields: string) =>
      browser.post(
        '/library/several',
        new URLSearchParams(`_csrf=${encodeURIComponent(csrfOf(page))}&${fields}`),
      )
    await post(`${chosen}&act=status&status=DROPPED`)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['DROPPED', 6])
    assert.equal((await post('act=status&status=PLAN')).status, 422)
    assert.equal((await post(`${chosen}&act=status&status=NO`)).status, 422)
    assert.equal((await stored())?.status, 'DROPPED')
    await post(`${chosen}&act=remove`)
    assert.equal(await stored(), undefined)
  })

  it('tells its history, with the app that did it', async () => {
    await mark({ status: 'GOING', rate: '6' })
    await mark({ status: 'COMPLETED', rate: '8' })
    const page = await browser.get('/library/history')
    assert.match(page.text, /Reading → Read</)
    assert.match(page.text, /6 → 8/)
    assert.equal(page.status, 200)
  })

  it('has a page of 404 for works that are none', async () => {
    for (const path of ['light-novels/999999', 'films/1', 'light-novels/abc', 'light-novels/0'])
      assert.equal((await browser.get(`/library/${path}`)).status, 404, path)
    assert.equal((await mark({ status: 'GOING' }, 'light-novels/999999')).status, 404)
    // Of another kind.
    assert.equal((await mark({ status: 'GOING' }, `light-novels/${game}`)).status, 404)
  })

  it('takes no form that does not come from its pages', async () => {
    for (const path of ['mark', 'delete', 'undo'])
      assert.equal(
        (await browser.post(`/library/light-novels/${novel}/${path}`, { status: 'GOING' })).status,
        403,
      )
    assert.equal(
      (await browser.post('/library/several', { work: `mangas/${manga}`, act: 'remove' })).status,
      403,
    )
    assert.equal(await stored(), undefined)
  })

  it('is changed on the page of a work, which leads back there, and its cards say so', async () => {
    const guest = new PlainBrowser(service.url)
    const asked = await guest.get(`/light-novels/${novel}`)
    assert.match(asked.text, new RegExp(`href="/library/light-novels/${novel}"`))
    assert.doesNotMatch(asked.text, /data-mark/)
    const page = await browser.get(`/light-novels/${novel}`)
    const form = page.forms.find(({ action }) => action === `/library/light-novels/${novel}/mark`)
    assert.ok(form)
    const saved = await browser.submit(page, { status: 'ON_HOLD', rate: '4' }, form)
    assert.equal(new URL(saved.url).pathname, `/light-novels/${novel}`)
    assert.match(saved.text, /is saved/)
    assert.match((await undo(saved)).url, new RegExp(`/light-novels/${novel}$`))
    assert.equal(await stored(), undefined)
    await mark({ status: 'ON_HOLD', rate: '' })
    const cardOf = ({ text }: Visit) =>
      text.includes(`<a class="on-list status-ON_HOLD" href="/library/light-novels/${novel}"`)
    assert.ok(
      cardOf(await browser.get('/light-novels?sort=changed')) || cardOf(await browser.get('/light-novels')),
    )
    assert.ok(!cardOf(await guest.get('/light-novels?sort=changed')))
    const email = `card-${readers}@example.com`
    await addAccount(service.db, { email, name: 'Other', password: PASSWORD })
    await guest.submit(await guest.get('/sign-in'), { email, password: PASSWORD })
    for (const path of ['/light-novels?sort=changed', '/light-novels'])
      assert.ok(!cardOf(await guest.get(path)), 'not of another reader')
  })

  it('is given away as a file, to its reader alone', async () => {
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

  it('is told in numbers: scores, kinds, years, months, and the tags and people rated highest', async () => {
    assert.match((await browser.get('/library/statistics')).text, /Nothing is on your list yet/)
    const works = (await sampleWorks(service.db)).galgame.slice(0, 4)
    for (const [place, id] of works.entries())
      await mark({ status: 'COMPLETED', rate: String(9 - place / 2) }, `galgames/${id}`)
    await mark({ status: 'PLAN', rate: '' })
    await send(`/library/galgames/${first(works)}`, { status: 'COMPLETED', rate: '9', hours: '10' })
    await queryRows(
      service.db,
      `update works set tags = '[{"name": "kind <of> tears", "likes": 1}]' where id = any($1)`,
      [works],
    )
    const { text } = await browser.get('/library/statistics')
    const rowOf = (label: string) =>
      new RegExp(`<th scope="row">(?:<a [^>]*>)?${label}(?:</a>)?</th>(?:(?!</tr>)[^])*</tr>`).exec(
        text,
      )?.[0] ?? ''
    // 9, 8.5, 8 and 7.5: halves go up.
    assert.match(rowOf('9'), /class="number">2</)
    assert.match(rowOf('8'), /class="number">2</)
    assert.match(rowOf('10'), /class="number">0</)
    assert.match(rowOf('Galgame'), /class="number">4<.*★ 8\.[23]</s)
    assert.match(rowOf('kind &lt;of&gt; tears'), /class="number">4</)
    assert.match(text, /<dt>Hours<\/dt><dd>10</)
    assert.match(rowOf('2000s'), /class="number">\d</)
    const month = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'short', timeZone: 'UTC' })
    assert.match(rowOf(month.format(new Date())), /class="number">4</)
    const other = await new PlainBrowser(service.url).get('/library/statistics')
    assert.equal(new URL(other.url).pathname, '/sign-in')
  })

  it('has a part for cards, with the way to undo what was just done', async () => {
    const path = `/library/light-novels/${novel}/mark?back=${encodeURIComponent('//evil.example/x')}`
    const before = await browser.get(path)
    assert.match(before.text, /^<div class="marking" data-own="[^"]*" data-status="" data-word=""/)
    assert.doesNotMatch(before.text, /data-undo|evil/)
    await mark({ status: 'GOING', rate: '7' })
    const after = await browser.get(path)
    assert.match(after.text, /data-status="GOING" data-word="Reading"/)
    assert.equal(after.headers.get('cache-control'), 'no-store')
    await undo(after)
    assert.equal(await stored(), undefined)
    assert.equal((await browser.get('/library/light-novels/999999/mark')).status, 404)
  })
})
