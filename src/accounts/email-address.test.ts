import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { createReader } from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { onEachDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { foldEmail } from './email-address.ts'
import { throttleKeys } from './sign-in/login-throttle.ts'

onEachDatabase('an email address', (engine) => {
  let service: TestService
  before(async () => {
    service = await shareService(engine)
  })
  after(() => service.close())

  it('has the same lower case in the program and in the database', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).map((any) => any.replaceAll(/[\0\uD800-\uDFFF]/g, '')),
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

  it('gets three reset mails an hour, however it is spelled', async () => {
    const { email } = await createReader(service)
    const spellings = [email, email.toUpperCase(), email.replace('e', '\uFF25'), email.replaceAll('e', 'E')]
    for (const spelling of [...spellings, ...spellings]) {
      const browser = new PlainBrowser(service.url)
      await browser.submit(await browser.get('/forgotten-password'), { email: spelling })
    }
    const dotted = new PlainBrowser(service.url)
    const refused = await dotted.submit(await dotted.get('/forgotten-password'), { email: `\u0130${email}` })
    assert.equal(refused.status, 422)
    const { rows } = await sql<{ tries: number }>`
      select tries from attempts where key = ${throttleKeys.mailTo('reset_password', email)}`.execute(
      service.db,
    )
    assert.deepEqual(rows, [{ tries: 3 }])
  })
})
