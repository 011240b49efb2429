import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { signedInBrowser, submitSignIn } from '#test/authorization.ts'
import { csrfTokenOf, PlainBrowser, type Visit } from '#test/browser.ts'
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
import { queryText } from '../../db/query.ts'
import { findRating } from '../../ratings/own/queries.ts'

const HOSTILE = `"><script>alert(1)</script>'`

describeOnDatabase('the rating form', (engine) => {
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

  it('saves a status and a score from any page and returns there', async () => {
    const { browser, mark, stored } = user
    const saved = await mark({
      status: 'COMPLETED',
      rate: '8,5',
      back: '/library?status=COMPLETED',
    })
    assert.match(saved.url, /\/library\?status=COMPLETED&done=/)
    const rating = await stored()
    assert.deepEqual([rating?.status, rating?.rate], ['COMPLETED', 8.5])
    assert.match(saved.text, /Saved /)
    assert.match(saved.text, /★ 8\.5</)
    assert.doesNotMatch((await browser.get('/library?status=PLAN')).text, /data-item/)
  })

  it('changes only the submitted fields', async () => {
    const { mark, stored } = user
    await mark({ status: 'COMPLETED', rate: '8' })
    await mark({ rate: '9' })
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['COMPLETED', 9])
    await mark({ status: '', rate: '' })
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], [null, null])
  })

  it('changes nothing if the page to return to is malformed', async () => {
    const { mark, send, stored } = user
    await mark({ status: 'COMPLETED', rate: '8' })
    const path = `/library/light-novels/${works.novel}`
    for (const [action, fields] of [
      ['', { rate: '9' }],
      ['/mark', { rate: '9' }],
      ['/delete', {}],
    ] as const) {
      const rejected = await send(`${path}${action}?back=%ff`, { ...fields })
      assert.equal(rejected.status, 422, action)
      assert.equal((await stored())?.rate, 8, action)
    }
  })

  it('never redirects to another site', async () => {
    const { mark } = user
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

  it('creates nothing if neither status nor score was chosen', async () => {
    const { mark, stored } = user
    await mark({ status: '', rate: '' })
    assert.equal(await stored(), undefined)
  })

  it('undoes a change, a creation or a deletion, and can undo the undo itself', async () => {
    const { novel } = works
    const { browser, mark, send, stored, undo } = user
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
    const repeated = await browser.get(`${back.url}?done=light-novels/${novel}`)
    await undo(repeated)
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], ['DROPPED', 3])
    await undo(await browser.get(`/library?done=light-novels/${novel}`))
    const removed = await send(`/library/light-novels/${novel}/delete`, {})
    assert.match(removed.text, /from your list/)
    assert.equal(await stored(), undefined)
    await undo(removed)
    const restored = await stored()
    for (const field of ['status', 'rate', 'rate_plot', 'rate_content', 'is_spoiler'] as const)
      assert.deepEqual(restored?.[field], whole?.[field], field)
  })

  it('undoes the deletion of a rating without a status, but does not offer to undo old changes', async () => {
    const { novel } = works
    const { accountId, browser, mark, send, stored, undo } = user
    await mark({ status: '', rate: '7' })
    await undo(await send(`/library/light-novels/${novel}/delete`, {}))
    assert.deepEqual([(await stored())?.status, (await stored())?.rate], [null, 7])
    await queryText(
      service.db,
      `update rating_changes set changed_at = changed_at - interval '1 hour' where account_id = $1`,
      [accountId],
    )
    const page = await browser.get(`/library?done=light-novels/${novel}`)
    assert.ok(!page.forms.some(({ action }) => action.endsWith('/undo')))
  })

  it('does not offer to undo changes made by other users', async () => {
    const { novel } = works
    const { mark, stored } = user
    await mark({ status: 'PLAN', rate: '' })
    const { email } = await createLibraryUser(service, works)
    const other = await signedInBrowser(service, { email, password: USER_PASSWORD })
    const page = await other.get(`/library?done=light-novels/${novel}`)
    assert.ok(!page.forms.some(({ action }) => action.endsWith('/undo')))
    const own = await other.get(`/library/light-novels/${novel}`)
    await other.post(`/library/light-novels/${novel}/undo`, { _csrf: csrfTokenOf(own) })
    assert.equal((await stored())?.status, 'PLAN')
  })

  it('saves all of its fields', async () => {
    const { game } = works
    const { accountId, browser, send } = user
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

  it('previews a review as other users will see it', async () => {
    const { manga } = works
    const { accountId, send } = user
    const page = await send(`/library/mangas/${manga}`, {
      act: 'preview',
      status: 'GOING',
      rate: '',
      rate_content: `One\n\nTwo ${HOSTILE}`,
    })
    assert.equal(page.status, 200)
    assert.match(page.text, /<p>One<\/p><p>Two &quot;&gt;/)
    assert.equal(
      await findRating(service.db, { accountId, kind: 'manga', workId: manga }),
      undefined,
    )
  })

  it('names each invalid field, shows the entered values again, and stores nothing', async () => {
    const { novel } = works
    const { mark, send, stored } = user
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
    assert.match(page.text, /Choose a status/)
    assert.match(page.text, /value="very"/)
    assert.match(page.text, /value="7\.55"/)
    assert.equal(await stored(), undefined)
    assert.equal((await mark({ rate: '0' })).status, 422)
    const long = await send(`/library/light-novels/${novel}`, {
      status: '',
      rate: '',
      hours: '8761',
    })
    assert.equal(long.status, 422)
    assert.equal(await stored(), undefined)
  })

  it('returns 404 for works that do not exist', async () => {
    const { game } = works
    const { browser, mark } = user
    for (const path of ['light-novels/999999', 'films/1', 'light-novels/abc', 'light-novels/0'])
      assert.equal((await browser.get(`/library/${path}`)).status, 404, path)
    assert.equal((await mark({ status: 'GOING' }, 'light-novels/999999')).status, 404)
    // A work of another kind.
    assert.equal((await mark({ status: 'GOING' }, `light-novels/${game}`)).status, 404)
  })

  it('is rejected unless it comes from a page of this service', async () => {
    const { novel, manga } = works
    const { browser, stored } = user
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

  it('returns to the work’s page after saving a rating, which is then marked only on the user’s own cards', async () => {
    const { novel } = works
    const { browser, mark, stored, undo } = user
    const guest = new PlainBrowser(service.url)
    const guestPage = await guest.get(`/light-novels/${novel}`)
    assert.match(guestPage.text, new RegExp(`href="/library/light-novels/${novel}[?"]`))
    assert.doesNotMatch(guestPage.text, /data-mark/)
    const page = await browser.get(`/light-novels/${novel}`)
    const saved = await browser.press(page, `/library/light-novels/${novel}/mark`, {
      status: 'ON_HOLD',
      rate: '4',
    })
    assert.equal(new URL(saved.url).pathname, `/light-novels/${novel}`)
    assert.match(saved.text, /Saved /)
    assert.match((await undo(saved)).url, new RegExp(`/light-novels/${novel}$`))
    assert.equal(await stored(), undefined)
    await mark({ status: 'ON_HOLD', rate: '' })
    const cardOf = ({ text }: Visit) =>
      text.includes(`<a class="on-list status-ON_HOLD" href="/library/light-novels/${novel}"`)
    assert.ok(
      cardOf(await browser.get('/light-novels?sort=changed')) ||
        cardOf(await browser.get('/light-novels')),
    )
    assert.ok(!cardOf(await guest.get('/light-novels?sort=changed')))
    const { email } = await createLibraryUser(service, works)
    await submitSignIn(guest, { email, password: USER_PASSWORD })
    for (const path of ['/light-novels?sort=changed', '/light-novels'])
      assert.ok(!cardOf(await guest.get(path)), 'not of another user')
  })

  it('has a compact version for cards, with a button to undo the last change', async () => {
    const { novel } = works
    const { browser, mark, stored, undo } = user
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
