import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { TestUser } from '#test/authorization.ts'
import { formTo, type PlainBrowser, type Visit } from '#test/browser.ts'
import { APP_CALLBACK, openConsole, type OpenConsole } from '#test/console.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { rotateSecret } from '../../apps/owner-queries.ts'

describeOnDatabase('test sign-ins in the console', (engine) => {
  let service: TestService
  let developer: TestUser
  let browser: PlainBrowser
  let create: OpenConsole['create']
  before(async () => {
    service = await shareService(engine)
    ;({ developer, browser, create } = await openConsole(service))
  })
  after(() => service.close())

  const DEVICE = { client_type: 'public', application_type: 'native' }
  const stepsOf = ({ text }: Visit) => text.slice(text.indexOf('class="http-steps"'))

  it('simulates a device, and shows each request and response until the user allows access', async () => {
    const app = await create(DEVICE)
    const path = `/console/apps/${app.client_id}/try`
    const restoredPage = await browser.get(path)
    const waiting = await browser.press(restoredPage, '/device', { asked: 'openid catalog:read' })
    assert.match(
      stepsOf(waiting),
      /POST [^ ]*\/oidc\/device\/auth[\s\S]*HTTP 400/,
      'it has no such scope',
    )
    assert.match(stepsOf(waiting), /invalid_scope/)
    const begun = await browser.press(restoredPage, '/device', { asked: 'openid' })
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(begun.text) ?? []
    assert.ok(begun.text.includes(`href="${service.url}/oidc/device?user_code=${code}"`))
    assert.match(
      stepsOf(begun),
      /&quot;device_code&quot;: &quot;[\w-]{4}••• \(/,
      'the device code is masked',
    )
    assert.match(
      (await browser.get(`${path}/device`)).text,
      new RegExp(code),
      'the page can be come back to',
    )

    const polled = await browser.press(begun, '/poll')
    assert.match(stepsOf(polled), /HTTP 400[\s\S]*authorization_pending/)
    assert.match(polled.text, /role="status"><div class="notice"><p>The user hasn’t decided yet/)
    const hasty = await browser.press(polled, '/poll', { times: '2' })
    assert.match(hasty.text, /role="status"><div class="notice"><p>Polled too soon/)
    assert.match(stepsOf(hasty), /slow_down/)

    let page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
    page = await browser.press(page, '/oidc/device')
    page = await browser.submit(page, { decision: 'allow' })
    const done = await browser.press(hasty, '/poll', { times: '2' })
    assert.match(
      stepsOf(done),
      /device_code=[\w-]{4}•••[\s\S]*HTTP 200[\s\S]*GET [^ ]*\/oidc\/me[\s\S]*HTTP 200[\s\S]*token\/revocation/,
    )
    assert.match(done.text, /it has its tokens/)
    assert.doesNotMatch(done.text, /action="[^"]*\/poll"/)
    const over = await browser.post(`${path}/device/poll`, formTo(hasty, '/poll').fields)
    assert.equal(over.status, 422)
    assert.match(over.text, /This test has ended/)
  })

  it('reports a denial to the device, and allows another attempt after a wrong secret', async () => {
    const app = await create({ application_type: 'native', redirect_uris: ['my-app://cb'] })
    const { secret = '' } = await rotateSecret(service.db, developer.id, app.client_id, {
      previousExpiresIn: 0,
      revokeTokens: true,
    })
    const path = `/console/apps/${app.client_id}/try`
    const restoredPage = await browser.get(path)
    const begun = await browser.press(restoredPage, '/device', { secret, asked: 'openid' })
    assert.ok(!begun.text.includes(secret))
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(begun.text) ?? []
    const wrong = await browser.press(begun, '/poll', { secret: 'wrong' })
    assert.match(wrong.text, /The request was refused: invalid_client/)
    const page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
    await browser.press(page, '/oidc/device', { abort: 'yes' })
    const refused = await browser.press(wrong, '/poll', { secret })
    assert.match(refused.text, /The request was refused: access_denied/)
    assert.doesNotMatch(refused.text, /action="[^"]*\/poll"/)
  })

  it('redeems no code from the response to another sign-in', async () => {
    const app = await create({ redirect_uris: [APP_CALLBACK] })
    const path = `/console/apps/${app.client_id}/try`
    const unregistered = await browser.get(path)
    const page = await browser.press(unregistered, '/register')
    const { fields } = formTo(page, '/begin')
    for (const response of ['', '?code=x&state=y', '://', '?error=access_denied']) {
      await browser.press(page, '/begin', { wanted: 'openid 日本' })
      const refused = await browser.post(`${path}/exchange`, { ...fields, secret: 'x', response })
      assert.equal(refused.status, 200, response)
      assert.match(refused.text, /The request was refused: state_mismatch/)
      assert.doesNotMatch(stepsOf(refused), /HTTP/)
    }
  })

  it('rejects the device flow for unsuitable apps and for other sessions', async () => {
    const app = await create({ redirect_uris: [APP_CALLBACK] })
    const path = `/console/apps/${app.client_id}/try`
    const page = await browser.get(path)
    assert.doesNotMatch(page.text, /action="[^"]*\/device"/)
    const [{ fields } = { fields: {} }] = page.forms
    const refused = await browser.post(`${path}/device`, {
      ...fields,
      asked: 'openid',
      secret: 'x',
    })
    assert.match(stepsOf(refused), /HTTP 4\d\d/)
    assert.equal(new URL((await browser.get(`${path}/device`)).url).pathname, path)
    for (const cookie of [
      'x',
      `${app.client_id}..`,
      `${app.client_id}.a\0.b`,
      `${app.client_id}.nobody.ABCD-EFGH`,
    ]) {
      browser.setCookie('mokuroku-try-device', encodeURIComponent(cookie))
      assert.ok((await browser.get(`${path}/device`)).status < 500)
      assert.ok(
        (await browser.post(`${path}/device/poll`, { ...fields, secret: 'x' })).status < 500,
        cookie,
      )
    }
  })
})
