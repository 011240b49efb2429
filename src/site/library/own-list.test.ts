import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { worksOfEachKind, type WorksOfEachKind } from '#test/library-user.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { queryText } from '../../db/query.ts'
import { saveProfileSettings } from '../../profiles/queries.ts'
import { LIBRARY_ORDERS } from '../../ratings/own/lists/library-queries.ts'
import { findRating, saveRating } from '../../ratings/own/queries.ts'
import { changeProgress } from '../../ratings/progress/queries.ts'
import type { ProgressChange } from '../../ratings/progress/fields.ts'

describeOnDatabase('the user’s own list with progress', (engine) => {
  let service: TestService
  let works: WorksOfEachKind
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    works = await worksOfEachKind(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    user = await createUser(service, 'Reader')
    browser = await signedInBrowser(service, user)
  })

  const keyOf = (kind: 'novel' | 'game' | 'manga') =>
    ({
      accountId: user.id,
      kind: ({ novel: 'light_novel', game: 'galgame', manga: 'manga' } as const)[kind],
      workId: works[kind],
    }) as const
  const record = (kind: 'novel' | 'game' | 'manga', change: ProgressChange) =>
    changeProgress(service.db, keyOf(kind), null, () => change)
  const rate = (kind: 'novel' | 'game' | 'manga', change: object) =>
    saveRating(service.db, keyOf(kind), null, change)
  /** Returns the works of a page in their order. */
  async function listed(query: string): Promise<string[]> {
    const { status, text } = await browser.get(`/library${query}`)
    assert.equal(status, 200)
    const names = new Map(Object.entries(works).map(([name, id]) => [String(id), name]))
    return [...text.matchAll(/id="(?:galgame|light_novel|manga)-(\d+)" data-item/g)].map(
      ([, id = '']) => names.get(id) ?? id,
    )
  }

  it('contains works with only progress, under “No status”', async () => {
    await rate('novel', { status: 'GOING' })
    await record('manga', { volumes_read: 2 })
    assert.deepEqual(await listed(''), ['novel', 'manga'])
    assert.deepEqual(await listed('?status=none'), ['manga'])
    assert.deepEqual(await listed('?status=GOING'), ['novel'])
    const { text } = await browser.get('/library')
    assert.match(text, /No status <span class="amount">1</)
    assert.match(text, /All <span class="amount">2</)
  })

  it('shows the main links, and the less common ones in a menu', async () => {
    await rate('novel', { status: 'PLAN' })
    const { text } = await browser.get('/library')
    const [, links = '', menu = ''] =
      /<div class="ways list-ways">(.*?)<details class="drop">(.*?)<\/details>/s.exec(text) ?? []
    assert.match(menu, /^<summary>More<\/summary>/)
    const pathsIn = (part: string) =>
      [...part.matchAll(/href="\/library\/([^"]*)"/g)].map(([, path]) => path)
    assert.deepEqual(pathsIn(links), ['diary', 'statistics', 'collections'])
    assert.deepEqual(pathsIn(menu), [
      'random',
      'import',
      'history',
      'timeline',
      'following',
      'notifications',
      'profile',
      'export.csv',
      'export.json',
    ])
  })

  it('is filtered by a label', async () => {
    await rate('novel', { status: 'GOING' })
    await record('novel', { labels: ['to lend', 'b & c'] })
    await record('manga', { labels: ['to lend'] })
    await rate('game', { rate: 7 })
    assert.deepEqual((await listed('?label=to+lend')).toSorted(), ['manga', 'novel'])
    assert.deepEqual(await listed('?label=b+%26+c'), ['novel'])
    assert.deepEqual(await listed('?label=unknown'), [])
    const { text } = await browser.get('/library?label=b+%26+c')
    assert.match(text, /<option value="b &amp; c" selected>b &amp; c</)
  })

  it('groups the works of a label by status', async () => {
    await rate('novel', { status: 'GOING' })
    await rate('game', { status: 'GOING' })
    await rate('manga', { status: 'COMPLETED' })
    for (const kind of ['novel', 'manga'] as const) await record(kind, { labels: ['to lend'] })
    const { text } = await browser.get('/library?label=to+lend')
    const groups = [...text.matchAll(/<h2>([^<]*) <span class="amount quiet">(\d+)</g)]
    assert.deepEqual(
      groups.map(([, name, amount]) => [name, amount]),
      [
        ['In progress', '1'],
        ['Finished', '1'],
      ],
    )
    assert.deepEqual(await listed('?label=to+lend'), ['novel', 'manga'])
    assert.match(text, /href="\/library\?label=to\+lend&amp;status=GOING"/)
  })

  it('shows the volumes and chapters that were read, to its owner only', async () => {
    await queryText(service.db, 'update light_novels set total_volumes = 12 where id = $1', [
      works.novel,
    ])
    await rate('novel', { status: 'GOING' })
    await record('novel', { volumes_read: 3 })
    await rate('manga', { status: 'GOING' })
    await record('manga', { chapters_read: 41 })
    await saveProfileSettings(service.db, user.id, (settings) => ({
      ...settings,
      is_shown: true,
      shows_list: true,
    }))
    const guest = new PlainBrowser(service.url)
    for (const view of ['rows', 'covers', 'table']) {
      const { text } = await browser.get(`/library?view=${view}`)
      assert.match(text, /3 of 12 volumes read/, view)
      assert.match(text, /41 chapters read/, view)
      const { text: seen } = await guest.get(`/u/${user.id}/list?view=${view}`)
      assert.match(seen, /data-item/)
      assert.doesNotMatch(seen, /volumes read|chapters read/, view)
    }
  })

  it('adds the next volume or chapter from each view of the list and from the home page', async () => {
    for (const kind of ['novel', 'manga', 'game'] as const) await rate(kind, { status: 'GOING' })
    await record('novel', { volumes_read: 1 })
    await record('manga', { chapters_read: 40 })
    const buttons = ({ text }: Visit) =>
      [...text.matchAll(/aria-label="(\+1 [a-z]+): /g)].map(([, label]) => label).toSorted()
    for (const path of ['/', ...['covers', 'table', 'rows'].map((view) => `/library?view=${view}`)])
      assert.deepEqual(buttons(await browser.get(path)), ['+1 chapter', '+1 volume'], path)
    const list = await browser.get('/library?view=rows&kind=mangas')
    const added = await browser.press(list, '/volume')
    assert.match(new URL(added.url).search, /kind=mangas&done=/)
    assert.match(added.text, /41 chapters read/)
    await rate('novel', { status: 'COMPLETED' })
    await record('manga', { chapters_read: 0, volumes_read: 2 })
    assert.deepEqual(buttons(await browser.get('/library?view=rows')), ['+1 volume'])
    const home = await browser.press(await browser.get('/'), '/volume')
    assert.match(home.text, /Saved .*3 volumes read/s)
    assert.ok(home.forms.some(({ action }) => action.endsWith('/undo')))
  })

  it('offers to finish a work whose last volume was read', async () => {
    const { kind, workId } = keyOf('novel')
    await queryText(service.db, 'update light_novels set total_volumes = 2 where id = $1', [workId])
    await rate('novel', { status: 'GOING' })
    await record('novel', { volumes_read: 2 })
    const list = await browser.get('/library?view=rows')
    assert.match(list.text, /aria-label="Mark as finished: /)
    await browser.press(list, `/${workId}/mark`)
    assert.equal(
      (await findRating(service.db, { accountId: user.id, kind, workId }))?.status,
      'COMPLETED',
    )
  })

  it('shows the columns of the table that the browser chose, and remembers them', async () => {
    await rate('novel', { status: 'GOING' })
    await record('novel', { started_on: '2024-05', labels: ['to lend'], times_finished: 2 })
    const headings = (visit: Visit) =>
      [...visit.text.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]+)/g)].map(([, text]) => text)
    const usual = headings(await browser.get('/library?view=table'))
    assert.deepEqual(usual.length, 9, usual.join())
    const chosen = await browser.get(
      '/library?view=table&columns=title&columns=labels&columns=started_on&columns=secret',
    )
    assert.deepEqual(headings(chosen), ['Title', 'Started', 'Labels'])
    assert.match(chosen.text, /May 2024.*to lend/s)
    assert.deepEqual(headings(await browser.get('/library')), ['Title', 'Started', 'Labels'])
    assert.deepEqual(headings(await browser.get('/library?columns=title')), ['Title'])
  })

  it('is sorted by each column in both directions, works without a value last', async () => {
    await rate('novel', { status: 'COMPLETED', rate: 9 })
    await record('novel', {
      started_on: '2024-01-01',
      finished_on: '2024-01-31',
      minutes: 60,
      labels: ['b', 'Z'],
    })
    await rate('game', { status: 'COMPLETED', rate: 5, time_to_finish_minutes: 600 })
    await record('game', {
      started_on: '2023-01-01',
      finished_on: '2023-01-03',
      labels: ['A last'],
    })
    await record('manga', { started_on: '2022' })
    const expected: Partial<Record<(typeof LIBRARY_ORDERS)[number], string[]>> = {
      score: ['novel', 'game'],
      finished: ['novel', 'game'],
      pace: ['game', 'novel'],
      time: ['game', 'novel', 'manga'],
      label: ['game', 'novel'],
    }
    for (const order of LIBRARY_ORDERS)
      for (const view of ['rows', 'table']) {
        const works = await listed(`?sort=${order}&view=${view}`)
        const reversed = await listed(`?sort=${order}&reverse=1&view=${view}`)
        assert.deepEqual([works.length, reversed.length], [3, 3], order)
        const known = expected[order]
        if (!known) continue
        assert.deepEqual(works.slice(0, known.length), known, order)
        assert.deepEqual(
          view === 'table' && reversed.slice(0, known.length),
          view === 'table' && known.toReversed(),
          `${order} in reverse`,
        )
      }
  })

  it('links each sorted column to the reverse order, and says how it is sorted', async () => {
    await rate('novel', { rate: 9 })
    const { text } = await browser.get('/library?view=table&sort=score')
    assert.match(text, /aria-sort="descending"><a href="\/library\?sort=score&amp;reverse=1"/)
    assert.match(text, /<a href="\/library\?sort=name">/)
    const reversed = await browser.get('/library?view=table&sort=score&reverse=1')
    assert.match(reversed.text, /aria-sort="ascending"><a href="\/library\?sort=score"/)
  })

  it('has statistics by recorded dates and times that only the user sees', async () => {
    const monthsAgo = (months: number) => {
      const now = new Date()
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
    }
    await rate('novel', { status: 'COMPLETED' })
    await record('novel', { finished_on: monthsAgo(2).toISOString().slice(0, 7), minutes: 600 })
    await record('manga', { minutes: 300 })
    await queryText(
      service.db,
      `insert into public_profiles (account_id, is_shown, shows_statistics) values ($1, true, true)`,
      [user.id],
    )
    const month = new Intl.DateTimeFormat('en', { year: 'numeric', month: 'long', timeZone: 'UTC' })
    const statisticsOn = async (path: string) => {
      const { text } = await browser.get(path)
      const [columns = ''] = /<ol class="month-columns">.*?<\/ol>/.exec(text) ?? []
      return {
        months: [...columns.matchAll(/class="number">(\d+)<.*?class="unseen">(.*?)</g)].map(
          ([, amount, name]) => `${name}: ${amount}`,
        ),
        listed: /<dt>(?:On my list|Works on the list)<\/dt><dd>(\d+)/.exec(text)?.[1],
        time: /<dt>Time spent<\/dt><dd>(.*?)</.exec(text)?.[1],
      }
    }
    assert.deepEqual(await statisticsOn('/library/statistics'), {
      months: [1, 0, 0].map((amount, index) => `${month.format(monthsAgo(2 - index))}: ${amount}`),
      listed: '2',
      time: '15 h',
    })
    assert.deepEqual(await statisticsOn(`/u/${user.id}/statistics`), {
      months: [`${month.format(monthsAgo(0))}: 1`],
      listed: '1',
      time: undefined,
    })
  })

  it('has a review of each year in which the user finished a work', async () => {
    await rate('novel', { rate: 9 })
    await record('novel', { started_on: '2023-12-30', finished_on: '2024-01-02', minutes: 120 })
    await record('game', { finished_on: '2024-05', minutes: 600 })
    await record('manga', { finished_on: '1999' })
    const { text: all } = await browser.get('/library/statistics')
    assert.match(all, /href="\/library\/statistics\?year=2024">2024 <span class="amount">2</)
    assert.match(all, /href="\/library\/statistics\?year=1999">1999/)
    const { status, text } = await browser.get('/library/statistics?year=2024')
    assert.equal(status, 200)
    assert.match(text, /<h1>2024 in review<\/h1>/)
    assert.match(text, /<dt>Finished<\/dt><dd>2</)
    assert.match(text, /<dt>Time spent<\/dt><dd>12 h</)
    assert.match(text, /<dt>Days from start to finish<\/dt><dd>3 days</)
    assert.match(text, /<h2>Finished per month<\/h2>/)
    assert.match(text, /Most time spent<\/dt><dd><a href="\/galgames\/\d+"/)
    assert.match(
      text,
      /Last<\/dt><dd><a [^>]*>[^<]*<\/a> <span class="quiet"><time datetime="2024-05">May 2024</,
    )
    assert.match(
      (await browser.get('/library/history')).text,
      /<li>Finished: (?:none → )?May 2024</,
    )
    assert.match(
      (await browser.get('/library?view=table')).text,
      /data-label="Finished"><time datetime="2024-05">May 2024</,
    )
    const { text: other } = await browser.get('/library/statistics?year=1999')
    assert.doesNotMatch(other, /Finished per month/, 'the month is unknown')
    for (const empty of ['2001', '0', 'x', '2024%20'])
      assert.equal((await browser.get(`/library/statistics?year=${empty}`)).status, 404, empty)
  })
})
