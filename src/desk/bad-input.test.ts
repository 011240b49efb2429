import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInAs } from '#test/authorization.ts'
import { csrfTokenOf, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { first, sampleWorks } from '#test/sample-works.ts'
import { findAccount } from '../accounts/queries.ts'

/** Values to try in each field, while the other fields keep the values of the form. */
const BAD = ['', '\0', '\ud800', '-1', '9'.repeat(30), `<b>"'%_\\;--`, 'x'.repeat(50_000)]

const PAGES = [
  '/account/profile',
  '/account/preferences',
  '/account/email',
  '/account/password',
  '/account/security/authenticator',
  '/account/security/passkeys',
  '/account/sessions',
  '/account/apps',
  '/reports',
  '/desk/merges',
  '/desk/matches',
  '/desk/webhooks',
  '/desk/mails',
]

describeOnDatabase('unexpected form values', (engine) => {
  let service: TestService
  let email: string
  let browser: PlainBrowser
  let game: number
  before(async () => {
    service = await shareService(engine)
    game = first((await sampleWorks(service.db)).galgame)
    ;({ email, browser } = await signedInAs(service, 'ADMIN'))
  })
  after(() => service.close())

  it('are rejected with a message and never cause a 500', async () => {
    const other = await createUser(service)
    const { clientId } = await service.createApp({ accountId: other.id, clientName: 'An app' })
    const pages = [
      ...PAGES,
      `/desk/entries?kind=galgame&id=${game}`,
      `/desk/accounts/${other.id}`,
      `/desk/apps/${clientId}`,
    ]
    let sent = 0
    for (const path of pages) {
      const visit = await browser.get(path)
      assert.equal(visit.status, 200, path)
      const forms = visit.forms.filter(
        ({ action }) => !/sign-out|end-others|search/.test(action) && !action.startsWith('/find'),
      )
      for (const form of forms)
        for (const name of Object.keys(form.fields).filter((field) => field !== '_csrf'))
          for (const value of BAD) {
            const { status } = await browser.submit(visit, { [name]: value }, form)
            assert.ok(
              status < 500,
              `${status} of ${form.action} with ${name}=${value.slice(0, 30)}`,
            )
            sent += 1
          }
    }
    assert.ok(sent > 150, `${sent} forms`)
  })

  it('are rejected with a message if only one field is invalid, and never cause a 500', async () => {
    const page = `/desk/entries?kind=galgame&id=${game}`
    const csrf = csrfTokenOf(await browser.get(page))
    const field = {
      _csrf: csrf,
      kind: 'galgame',
      id: String(game),
      field: 'trans_title',
      note: 'Why.',
    }
    const send = async (path: string, fields: Record<string, string>) =>
      (await browser.post(path, { ...field, ...fields })).status
    // The value is truncated for the log in the middle of a surrogate pair.
    assert.equal(await send('/desk/entries/set', { value: 'a\0b' }), 422)
    assert.equal(await send('/desk/entries/set', { value: `${'x'.repeat(499)}\u{1f600}` }), 200)
    for (const name of BAD) {
      const set = await send('/desk/entries/set', { field: name, value: 'x' })
      assert.ok(set >= 400 && set < 500, `${set}: ${name.slice(0, 30)}`)
      for (const actionReason of [{}, { note: '', undo: 'yes' }]) {
        const unset = await send('/desk/entries/unset', { field: name, ...actionReason })
        assert.ok(unset < 500, `${unset}: ${name.slice(0, 30)}`)
      }
    }
    assert.equal(await send('/desk/entries/unset', {}), 200)
  })

  it('are searched for literally if they contain wildcards', async () => {
    for (const query of ['%', '_', `'`, '\\', '%00', '\ud800', 'x'.repeat(5_000)])
      for (const page of ['/desk/accounts?q=', '/desk/apps?q=']) {
        const path = page + encodeURIComponent(query.replace('\ud800', '\ufffd'))
        assert.equal((await browser.get(path)).status, 200, path.slice(0, 80))
      }
    assert.doesNotMatch((await browser.get('/desk/accounts?q=%25')).text, new RegExp(email))
  })

  it('produce an error and no results in a log search', async () => {
    const bad: Record<string, string[]> = {
      account: ['x', '0', '-1', '1.5', '9'.repeat(30), '%', '\ufffd', 'x'.repeat(5_000)],
      app: ['%', `'`, 'a b', 'x'.repeat(65)],
      kind: ['sign-in', '%', `'`, 'x'.repeat(5_000)],
      since: ['0000-01-01', '2026-02-30', '-1', '1', '20260101'],
      until: ['2026-13-01', 'today'],
    }
    for (const [field, values] of Object.entries(bad))
      for (const value of values) {
        const { status, text } = await browser.get(
          `/desk/log?${field}=${encodeURIComponent(value)}`,
        )
        const at = `${field}=${value.slice(0, 40)}`
        assert.equal(status, 422, at)
        assert.match(
          text,
          new RegExp(`aria-invalid="true"[^>]* aria-describedby="log-${field}-error"`),
          at,
        )
        assert.doesNotMatch(text, /<tbody>/, at)
        assert.ok(!/<main.*x{200}.*<\/main>/s.test(text), at)
      }
    const span = await browser.get('/desk/log?since=2026-02-02&until=2026-02-01')
    assert.deepEqual([span.status, /before the start date/.test(span.text)], [422, true])
    for (const query of [
      'since=2026-02-01&until=2026-02-01',
      'until=9999-12-31',
      'kind=banned',
      'account=&kind=',
    ])
      assert.equal((await browser.get(`/desk/log?${query}`)).status, 200, query)
  })

  it('are rejected as filters of a list', async () => {
    const bad = ['x', '0', '-1', '1.5', '9'.repeat(30), '%', "'"]
    for (const list of ['hidden?before', 'merges?before', 'log?before', 'entries?kind=galgame&id'])
      for (const value of bad) {
        const { status, text } = await browser.get(`/desk/${list}=${encodeURIComponent(value)}`)
        assert.deepEqual([status, /<tbody>/.test(text)], [422, false], `${list}=${value}`)
      }
    for (const list of ['matches?state', 'matches?kind', 'entries?kind']) {
      const { status, text } = await browser.get(`/desk/${list}=OPEN`)
      assert.deepEqual([status, /<tbody>/.test(text)], [422, false], list)
    }
    for (const list of [
      'hidden?before=',
      'merges?before=9',
      'matches?state=&kind=manga',
      'entries?kind=&id=',
    ])
      assert.equal((await browser.get(`/desk/${list}`)).status, 200, list)
  })

  it('leave the role unchanged if they name an unknown role', async () => {
    const moderator = await createUser(service, 'Moderator', 'MODERATOR')
    const path = `/desk/accounts/${moderator.id}`
    const visit = await browser.get(path)
    const refused = await browser.press(visit, `${path}/role`, { role: 'OWNER', note: 'x' })
    assert.deepEqual([refused.status, /This role doesn’t exist/.test(refused.text)], [422, true])
    assert.equal((await findAccount(service.db, moderator.id))?.role, 'MODERATOR')
  })
})
