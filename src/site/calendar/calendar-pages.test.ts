import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { planOf } from '#test/query-plans.ts'
import { sampleWorks } from '#test/sample-works.ts'
import { signInCookie } from '#test/signed-in-page.ts'
import { startService, type TestService } from '#test/service.ts'
import { ownStatementsOf, statementsOf } from '#test/statements.ts'
import { updateListings } from '#test/update-listings.ts'
import { listReleases } from '../../browse/calendar/queries.ts'
import { inReadTransaction } from '../../db/replicas/reads.ts'
import { signal } from '../../db/upkeep/signals.ts'
import { LANGUAGES } from '../../i18n/languages.ts'
import { addDays } from './month.ts'

/** A month without releases in the sample. */
const MONTH = '1985-03'
const PATH = `/calendar?month=${MONTH}`
const TITLE = String.raw`Moon, sun; and \ stars`

/** Links to works on a page, in order. */
const linksIn = (text: string) =>
  [...text.matchAll(/<li class="of-[a-z-]+">.*?<a href="([^"]+)"/g)].map(([, path]) => path)

describeOnDatabase('the release calendar', (engine) => {
  let service: TestService
  let guest: PlainBrowser
  let game: number
  let undated: number
  let adult: number
  let novels: { id: number; light_novel_id: number }[]
  let manga: { id: number; manga_id: number }
  const today = new Date().toISOString().slice(0, 10)

  before(async () => {
    service = await startService({ engine })
    const { db } = service
    const [first, second] = (await sampleWorks(db)).galgame
    const [hidden, earlier] = (await sampleWorks(db, true)).galgame
    assert.ok(first && second && hidden && earlier)
    ;[game, undated, adult] = [first, second, hidden]
    await sql`update galgames set release_date = '1985-03-05' where id in (${game}, ${adult})`.execute(
      db,
    )
    await sql`update galgames set release_date = '1984-06-05' where id = ${earlier}`.execute(db)
    await sql`update galgames set release_date = null, release_date_tbd = true, release_date_tbd_note = ${MONTH}
      where id = ${undated}`.execute(db)
    novels = (
      await sql<{ id: number; light_novel_id: number }>`
        select id, light_novel_id from light_novel_volumes order by light_novel_id, id limit 12`.execute(
        db,
      )
    ).rows
    assert.equal(novels.length, 12)
    await sql`update light_novel_volumes set publication_date = '1985-03-15', publication_date_text = null
      where id in (${sql.join(novels.map(({ id }) => id))})`.execute(db)
    const mangas = await sql<{ id: number; manga_id: number }>`
      select id, manga_id from manga_volumes order by id limit 1`.execute(db)
    assert.ok(mangas.rows[0])
    ;[manga] = mangas.rows
    await sql`update manga_volumes set publication_date = null, publication_date_text = ${MONTH}
      where id = ${manga.id}`.execute(db)
    await updateListings(db)
    guest = new PlainBrowser(service.url)
    guest.headers['accept-language'] = 'en'
  })
  after(() => service?.close())

  it('lists the releases of a month by day, and those without a day below', async () => {
    const { status, text } = await guest.get(PATH)
    assert.equal(status, 200)
    assert.match(text, /<h2>March 1985<\/h2>/)
    const links = linksIn(text)
    assert.equal(links[0], `/galgames/${game}`)
    assert.match(text, /<time datetime="1985-03-05">[^<]*5[^<]*<\/time>/)
    const [dated = '', rest = ''] = text.split('March 1985, day unknown')
    assert.deepEqual(
      linksIn(rest).toSorted(),
      [`/galgames/${undated}`, `/mangas/${manga.manga_id}`].toSorted(),
    )
    assert.equal(linksIn(dated).length, 1 + 8)
    assert.match(text, /href="\/calendar\?month=1985-02" rel="prev/)
    assert.match(text, /href="\/calendar\?month=1985-04" rel="next/)
    assert.match((await guest.get('/calendar?month=1985-02')).text, /No releases/)
    for (const language of LANGUAGES)
      assert.equal((await guest.get(`${PATH}&ui_locales=${language}`)).status, 200, language)
  })

  it('shows the first releases of a day, and all of them on the page of the day', async () => {
    const { text } = await guest.get(PATH)
    const [, day = ''] = /<a href="([^"]+)"[^>]*>4 more</.exec(text) ?? []
    assert.equal(day, '/calendar?day=1985-03-15')
    const all = linksIn((await guest.get(day)).text)
    assert.deepEqual(
      all.toSorted(),
      novels.map(({ light_novel_id: id }) => `/light-novels/${id}`).toSorted(),
    )
  })

  it('filters by kind, and keeps the filter', async () => {
    const { text } = await guest.get(`${PATH}&kind=mangas`)
    assert.deepEqual(linksIn(text), [`/mangas/${manga.manga_id}`])
    assert.match(text, /href="\/calendar\?month=1985-04&amp;kind=mangas"/)
    assert.match(text, /href="\/calendar.ics\?kind=mangas&amp;ui_locales=en"/)
  })

  it('hides adult works from everyone who has not turned them on', async () => {
    const path = `/galgames/${adult}"`
    assert.ok(!(await guest.get(PATH)).text.includes(path))
    for (const nsfw of [false, true]) {
      const cookie = await signInCookie(service, { nsfw })
      const response = await fetch(service.url + PATH, { headers: { accept: 'text/html', cookie } })
      assert.equal((await response.text()).includes(path), nsfw)
    }
  })

  it('links a period without releases to the nearest ones that the viewer sees', async () => {
    const near = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, {
        headers: { accept: 'text/html', 'accept-language': 'en', ...headers },
      })
      const [, part = ''] = /<div class="empty">(.*?)<\/div>/s.exec(await response.text()) ?? []
      return [...part.matchAll(/href="([^"]+)"[^>]*>([^<]+)</g)].map(([, href, text]) => [
        href,
        text,
      ])
    }
    const next = ['/calendar?month=1985-03', 'Next releases: March 1985']
    assert.deepEqual((await near('/calendar?month=1985-02'))[0], next)
    const earlier = ['/calendar?month=1984-06', 'Earlier releases: June 1984']
    assert.notDeepEqual((await near('/calendar?month=1985-02'))[1], earlier)
    const cookie = await signInCookie(service, { nsfw: true })
    assert.deepEqual(await near('/calendar?month=1985-02', { cookie }), [next, earlier])
    assert.deepEqual(await near('/calendar?day=1985-03-06'), [
      ['/calendar?day=1985-03-15', 'Next releases: Friday, 15 March 1985'],
      ['/calendar?day=1985-03-05', 'Earlier releases: Tuesday, 5 March 1985'],
    ])
    const [, before] = await near('/calendar?month=1985-04&kind=light-novels')
    assert.deepEqual(before, [
      '/calendar?month=1985-03&amp;kind=light-novels',
      'Earlier releases: March 1985',
    ])
  })

  it('serves the releases of a month or a day as iCalendar', async () => {
    const eventsOf = async (query: string) => {
      const { text } = await guest.get(`/calendar.ics?${query}`)
      return [...text.matchAll(/^UID:(.*)@/gm)].map(([, uid]) => uid)
    }
    const volumes = novels.map(({ id }) => `light-novel-volume-${id}`)
    const ofMonth = await eventsOf(`month=${MONTH}`)
    assert.deepEqual(ofMonth.toSorted(), [`galgame-${game}`, ...volumes].toSorted())
    assert.deepEqual(await eventsOf('day=1985-03-05'), [`galgame-${game}`])
  })

  it('rejects months, days and kinds that do not exist', async () => {
    for (const query of [
      'month=2026-13',
      'month=x',
      'day=2026-02-30',
      'day=2026-11',
      'kind=people',
      'month=9999-01',
    ])
      for (const path of ['/calendar', '/calendar.ics']) {
        const { status, text } = await guest.get(`${path}?${query}`)
        assert.equal(status, 422, path + query)
        assert.ok(text.includes(`<li>${query.split('=', 1)[0]}: `), path + query)
      }
  })

  it('marks the current day', async () => {
    const { db } = service
    await sql`update galgames set release_date = ${today} where id = ${game}`.execute(db)
    await updateListings(db)
    const { text } = await guest.get(`/calendar?x=${Math.random()}`)
    assert.match(text, new RegExp(`<time datetime="${today}" aria-current="date">`))
    assert.ok(linksIn(text).includes(`/galgames/${game}`))
  })

  it('serves recent and announced releases of one kind or all as iCalendar', async () => {
    const { db } = service
    const far = addDays(today, 400)
    await sql`update galgames set origin_title = ${TITLE}, trans_title = null, en_title = null, romaji_title = null,
      release_date = ${far} where id = ${game}`.execute(db)
    await sql`update galgames set release_date = ${addDays(today, 3)} where id = ${adult}`.execute(
      db,
    )
    await sql`update galgames set release_date = ${addDays(today, -70)} where id = ${undated}`.execute(
      db,
    )
    await sql`update light_novel_volumes set publication_date = ${addDays(today, -50)} where id = ${novels[0]?.id}`.execute(
      db,
    )
    await updateListings(db)
    const read = async (path: string, headers: Record<string, string> = {}) => {
      const response = await fetch(service.url + path, {
        headers: { 'accept-language': 'en', ...headers },
      })
      return { response, text: await response.text() }
    }
    const { response, text } = await read('/calendar.ics')
    assert.equal(response.headers.get('content-type'), 'text/calendar; charset=utf-8')
    const lines = text.replaceAll('\r\n ', '').split('\r\n')
    assert.equal(lines[0], 'BEGIN:VCALENDAR')
    assert.equal(lines.at(-2), 'END:VCALENDAR')
    assert.ok(text.split('\r\n').every((line) => Buffer.byteLength(line) <= 75))
    assert.ok(!/[^\r]\n/.test(text))
    const host = new URL(service.url).hostname
    const start = lines.indexOf(`UID:galgame-${game}@${host}`)
    assert.ok(start > 0)
    assert.deepEqual(lines[start + 2], `DTSTART;VALUE=DATE:${far.replaceAll('-', '')}`)
    assert.match(lines[start + 1] ?? '', /^DTSTAMP:\d{8}T\d{6}Z$/)
    assert.equal(lines[start + 3], String.raw`SUMMARY:Moon\, sun\; and \\ stars`)
    assert.ok(lines.includes(`UID:light-novel-volume-${novels[0]?.id}@${host}`))
    assert.ok(!text.includes(`galgame-${adult}@`))
    assert.ok(!text.includes(`galgame-${undated}@`))

    const etag = response.headers.get('etag') ?? ''
    assert.equal(response.headers.get('cache-control'), 'public, max-age=3600')
    const unchanged = await read('/calendar.ics', { 'if-none-match': etag })
    assert.equal(unchanged.response.status, 304)
    assert.equal((await read('/calendar.ics', { 'accept-encoding': 'identity' })).text, text)
    const games = await read('/calendar.ics?kind=galgames')
    assert.ok(games.text.includes(`galgame-${game}@`) && !games.text.includes('light-novel-volume'))

    await sql`update galgames set release_date = ${addDays(far, 1)} where id = ${game}`.execute(db)
    await updateListings(db)
    await signal(db, 'catalog')
    await eventually(async () => {
      const moved = await read('/calendar.ics', { 'if-none-match': etag })
      return moved.response.status === 200 && moved.text.includes(`UID:galgame-${game}@${host}`)
    }, 'the changed calendar')
  })

  it('caches the iCalendar document until the catalog changes', async () => {
    const path = '/calendar.ics?kind=mangas'
    const first = await (await fetch(service.url + path)).text()
    const amountOfQueries = async () => {
      const sent = await statementsOf(async () => {
        assert.equal(await (await fetch(service.url + path)).text(), first)
      })
      return sent.filter(({ sql: text }) => text.includes('release.changed_at')).length
    }
    await eventually(async () => (await amountOfQueries()) === 0, 'a response from the cache')
    await signal(service.db, 'catalog')
    await eventually(async () => (await amountOfQueries()) === 1, 'a query after the change')
  })

  it('reads from indexes only', async () => {
    const filter = { kinds: ['galgame', 'light_novel', 'manga'] as const, seesNsfw: true }
    const period = { from: '1985-03-01', to: '1985-04-01', month: MONTH, limit: 8 }
    const [sent] = await ownStatementsOf(() => listReleases(service.db, filter, period))
    assert.ok(sent)
    const plan = await inReadTransaction(service.db, async (trx) => {
      // The sample is so small that reading its tables costs less.
      await sql`select set_config('enable_seqscan', 'off', true)`.execute(trx)
      return JSON.stringify(await planOf(trx, sent))
    })
    for (const index of [
      'listings_by_date',
      'light_novel_volumes_by_date',
      'light_novel_volumes_by_month',
      'manga_volumes_by_date',
      'manga_volumes_by_month',
      'galgames_by_month',
    ])
      assert.ok(plan.includes(`"Index Name":"${index}"`), index)
  })
})
