import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, it } from 'node:test'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { createUser, submitSignIn } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnEachDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { foldEmail, normalizeEmail } from './email-address.ts'
import { createAccount } from './queries.ts'
import { throttleKeys } from './sign-in/login-throttle.ts'

const PASSWORD = 'a long enough password'

describeOnEachDatabase('an email address', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('is converted to lower case identically by the program and the database', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).map((address) => address.replaceAll(/[\0\uD800-\uDFFF]/g, '')),
      fc.stringMatching(/^[a-zA-Z\u0130\u0131\u212A\u00C9\u03A3\u1E9E]*$/),
    )
    const texts = [...fc.sample(text, 300), 'I\u0130i\u0131K\u212Ak', 'ABC@Example.ORG']
    const { rows } = await sql<{ folded: string }>`
      select fold_email(email) as folded
      from json_array_elements_text(${JSON.stringify(texts)}::json) with ordinality as listed (email, place)
      order by place`.execute(service.db)
    assert.deepEqual(
      rows.map(({ folded }) => folded),
      texts.map(foldEmail),
    )
  })

  it('receives at most three reset emails per hour, however it is spelled', async () => {
    const { email } = await createUser(service)
    const spellings = [
      email,
      email.toUpperCase(),
      email.replace('e', '\uFF25'),
      email.replaceAll('e', 'E'),
    ]
    const keys = new Set(
      spellings.map((spelling) => throttleKeys.mailTo('reset_password', spelling)),
    )
    assert.equal(keys.size, 1)
    for (const spelling of [...spellings, ...spellings]) {
      const browser = new PlainBrowser(service.url)
      await browser.submit(await browser.get('/forgotten-password'), { email: spelling })
    }
    const dotted = new PlainBrowser(service.url)
    await dotted.submit(await dotted.get('/forgotten-password'), { email: `\u0130${email}` })
    const { rows } = await sql<{ tries: number }>`
      select tries from attempts where key = ${throttleKeys.mailTo('reset_password', email)}`.execute(
      service.db,
    )
    assert.deepEqual(rows, [{ tries: 3 }])
  })

  it('works for sign-in as typed at sign-up and in its stored form', async () => {
    const typed = `ｒｅａｄｅｒ-${randomUUID()}@bücher.example`
    const stored = normalizeEmail(typed)
    assert.notEqual(stored, typed)
    await createAccount(service.db, { email: stored, name: 'Reader', password: PASSWORD })
    for (const email of [typed, stored, stored.toUpperCase()])
      assert.equal(new URL((await signIn(email)).url).pathname, '/account', email)
  })

  it('still works for sign-in and password resets if an older version stored it unnormalized', async () => {
    const email = `ｌës-${randomUUID()}@example.org`
    assert.notEqual(normalizeEmail(email), email)
    await createAccount(service.db, { email, name: 'Reader', password: PASSWORD })
    assert.equal(new URL((await signIn(email)).url).pathname, '/account')
    const browser = new PlainBrowser(service.url)
    const sent = await browser.submit(await browser.get('/forgotten-password'), { email })
    assert.equal(sent.status, 200)
  })

  const signIn = (email: string) =>
    submitSignIn(new PlainBrowser(service.url), { email, password: PASSWORD })
})
