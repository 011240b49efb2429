import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, type TestUser } from '#test/authorization.ts'
import { formWith, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { statementsOf } from '#test/statements.ts'

describeOnDatabase('a sign-in with a password', (engine) => {
  let service: TestService
  let user: TestUser
  before(async () => {
    service = await startService({ engine })
    user = await createUser(service)
  })
  after(() => service.close())

  it('takes four database statements, in known and new browsers', async () => {
    const browser = new PlainBrowser(service.url)
    const { fields } = formWith(await browser.get('/sign-in'), ['password'])
    const newBrowserCookies = browser.cookies()
    const signIn = (cookies: Record<string, string>) =>
      fetch(`${service.url}/sign-in`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          origin: service.url,
          cookie: Object.entries(cookies)
            .map(([name, value]) => `${name}=${value}`)
            .join('; '),
        },
        body: new URLSearchParams({ ...fields, email: user.email, password: user.password }),
      })
    const costOf = async (cookies: Record<string, string>, isMailed = false) => {
      let response: Response | undefined
      const sent = await statementsOf(async () => void (response = await signIn(cookies)))
      assert.equal(response?.status, 303)
      const device =
        response.headers.getSetCookie().find((cookie) => cookie.includes('-device=')) ?? ''
      // The outbox also queries accounts, emails and preferences.
      const tables = isMailed
        ? /\b(sessions|known_devices|audit_events|into attempts|from attempts)\b/
        : /\b(accounts|attempts|sessions|known_devices|audit_events|mails|reader_preferences)\b/
      // The outbox polls for emails.
      const isMailPoll = (text: string) => /^\s*update mails\b/.test(text)
      const texts = sent
        .map(({ sql }) => sql)
        .filter((text) => tables.test(text) && !isMailPoll(text))
      return { statements: texts, device: /=([^;]+)/.exec(device)?.[1] ?? '' }
    }
    const first = await costOf(newBrowserCookies)
    const known = await costOf({ ...newBrowserCookies, 'mokuroku-device': first.device })
    const other = await costOf(newBrowserCookies, true)
    for (const { statements } of [first, known, other])
      assert.equal(statements.length, 4, statements.join('\n'))
    assert.equal(known.device, first.device)
    assert.notEqual(other.device, first.device)
  })
})
