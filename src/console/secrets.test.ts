import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { TestUser } from '#test/authorization.ts'
import type { PlainBrowser } from '#test/browser.ts'
import { APP_PAGES, APP_CALLBACK, openConsole, type OpenConsole } from '#test/console.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('the secrets of an app in the console', (engine) => {
  let service: TestService
  let developer: TestUser
  let browser: PlainBrowser
  let create: OpenConsole['create']
  let stored: OpenConsole['stored']
  before(async () => {
    service = await shareService(engine)
    ;({ developer, browser, create, stored } = await openConsole(service))
  })
  after(() => service.close())

  it('requires the password to rotate a secret or delete an app, and shows the secret in that response only', async () => {
    const app = await create({ redirect_uris: [APP_CALLBACK] })
    const path = `/console/apps/${app.client_id}`
    const secrets = await browser.get(`${path}/secrets`)
    const wrong = await browser.press(secrets, '/secrets', {
      end: 'day',
      current_password: 'wrong',
    })
    assert.equal(wrong.status, 422)
    assert.equal((await stored(app.client_id))?.secret_hash, app.secret_hash)
    const right = await browser.press(secrets, '/secrets', {
      end: 'hour',
      current_password: developer.password,
    })
    assert.match(right.text, /mks_[\w-]{43}/)
    const rotated = await stored(app.client_id)
    assert.equal(rotated?.previous_secret_hash, app.secret_hash)
    // Browsers repeat the request when the page with the secret is reloaded.
    const repeated = await browser.press(secrets, '/secrets', {
      end: 'hour',
      current_password: developer.password,
    })
    assert.equal(repeated.status, 409)
    assert.doesNotMatch(repeated.text, /mks_/)
    assert.equal((await stored(app.client_id))?.previous_secret_hash, app.secret_hash)
    for (const section of APP_PAGES)
      assert.doesNotMatch((await browser.get(path + section)).text, /mks_/, section)
    const settings = await browser.get(`${path}/settings`)
    for (const [confirmation, password] of [
      ['Another', developer.password],
      ['An app', 'wrong'],
    ] as const) {
      const fields = { confirmation, current_password: password }
      const refused = await browser.press(settings, '/delete', fields)
      assert.equal(refused.status, 422)
    }
    assert.ok(await stored(app.client_id))
    const fields = { confirmation: 'An app', current_password: developer.password }
    await browser.press(settings, '/delete', fields)
    assert.equal(await stored(app.client_id), undefined)
  })
})
