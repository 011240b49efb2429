import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import {
  sendTokenRequest,
  authorizationRequest,
  catalogStatus,
  createUser,
  redeem,
} from '#test/authorization.ts'
import { findAccessibilityFaults } from '#test/axe.ts'
import { eventually } from '#test/browser.ts'
import { chromiumMissing, startCallback } from '#test/chromium.ts'
import { shareChromium, type TestBrowser } from '#test/shared-chromium.ts'
import type { TestUser } from '#test/authorization.ts'
import { fillSignIn } from '#test/sign-in-pages.ts'
import { startService, type TestApp, type TestService } from '#test/service.ts'
import { createOwnApp } from '../src/apps/owner-queries.ts'

for (const script of [true, false])
  describe(
    `a developer’s journey from a new app to its last token, ${script ? 'with' : 'without'} scripts`,
    { skip: chromiumMissing() },
    () => {
      let service: TestService
      let browser: TestBrowser
      let context: BrowserContext
      let page: Page
      let callback: Awaited<ReturnType<typeof startCallback>>
      let developer: TestUser
      let app: TestApp
      let token = ''
      before(async () => {
        service = await startService({ environment: { IMAGES: 'off' } })
        callback = await startCallback()
        developer = await createUser(service, 'Dora')
        browser = await shareChromium()
        context = await browser.newContext({ locale: 'en-GB', javaScriptEnabled: script })
        await context.grantPermissions(['clipboard-read', 'clipboard-write'])
        page = await context.newPage()
      })
      after(async () => {
        await browser?.close()
        await callback?.close()
        await service?.close()
      })

      // axe waits for timers, which never fire in a page without scripts.
      const hasNoFaults = async (name: string) => {
        if (script) assert.deepEqual(await findAccessibilityFaults(page), [], name)
      }
      const ofApp = (section = '') => `${service.url}/console/apps/${app.clientId}${section}`
      const credentials = { grant_type: 'client_credentials', scope: 'catalog:read' }
      const tokenStatus = async (secret: string) =>
        (await sendTokenRequest(service, { ...app, secret }, credentials)).status

      it('creates an app and shows its secret once', async () => {
        await page.goto(`${service.url}/console`)
        await fillSignIn(page, developer)
        await page.waitForURL(`${service.url}/console`)
        await hasNoFaults('no apps')
        await page.click('main a[href="/console/new"]')
        await hasNoFaults('the kind')
        await page.check('#kind-server')
        await page.click('main form .actions button')
        await page.fill('[name=client_name]', 'Shelf <b>of</b> Dora')
        await page.fill('[name=address_0]', 'http://example.org/callback')
        await page.click('button[data-add-address]')
        await page.fill('[name=address_1]', callback.url)
        await page.click('main form .actions button')
        assert.match(
          await page.locator('#address_0-error').innerText(),
          /Plain http is allowed only/,
        )
        assert.equal(await page.locator('#address_1-error').count(), 0)
        await hasNoFaults('a line that is wrong')
        await page.fill('[name=address_0]', '')
        await page.click('main form .actions button')
        await page.check('[name="scope_status:write"]')
        await page.click('button[value=preview]')
        assert.match(await page.locator('.consent-page').innerText(), /change your ratings/)
        await hasNoFaults('scopes and preview')
        await page.click('button[value=create]')
        app = {
          clientId: await page.inputValue('#client-id'),
          secret: await page.inputValue('#client-secret'),
        }
        assert.match(app.secret, /^mks_/)
        await hasNoFaults('the secret')
        const toApp = await page.getAttribute('main a.button', 'href')
        await page.reload()
        assert.equal(page.url(), ofApp(''))
        await hasNoFaults('an app that was made before')
        await page.goto(new URL(toApp ?? '', service.url).href)
        assert.equal(page.url(), ofApp())
        assert.equal(await page.locator('h1').innerText(), 'Shelf <b>of</b> Dora')
        assert.ok(!(await page.content()).includes(app.secret))
        assert.ok((await page.locator('.snippets details').count()) >= 4)
        await page.locator('.snippets summary').first().click()
        assert.equal(await page.locator('.snippets .copy:visible').count(), script ? 1 : 0)
        if (script) {
          await page.locator('.snippets .copy:visible').click()
          await page.getByText('Copied').waitFor()
          assert.equal(
            await page.evaluate('navigator.clipboard.readText()'),
            await page.locator('.snippets pre').first().innerText(),
          )
        }
        await hasNoFaults('the app')
        await page.goto(`${service.url}/console`)
        await hasNoFaults('apps')
      })

      it('runs the code flow and rates a work as the app, and the rating appears on the list page', async () => {
        const scope = 'openid catalog:read status:write'
        const { path, verifier } = authorizationRequest(app, { redirect_uri: callback.url, scope })
        await page.goto(service.url + path)
        await page.click('[name=decision][value=allow]')
        const code = (await callback.evaluate()).get('code') ?? ''
        const { body } = await redeem(service, app, code, verifier, callback.url)
        token = String(body['access_token'])
        const rated = await fetch(`${service.url}/v3/user/me/rates/galgames/1`, {
          method: 'PUT',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ status: 'COMPLETED', rate: 9 }),
        })
        assert.equal(rated.status, 200)
        await page.goto(`${service.url}/library`)
        assert.match(await page.locator('.own-row .own-score').innerText(), /9\.0/)
        await page.goto(`${service.url}/galgames/1`)
        assert.equal(await page.locator('main [name=rate]').first().inputValue(), '9')
        await page.goto(`${service.url}/library/history`)
        assert.match(await page.locator('.own-history').innerText(), /Shelf <b>of<\/b> Dora/)
      })

      it('runs a flow in the console and shows each request without secrets', async () => {
        await page.goto(ofApp('/try'))
        await page.fill('[name=secret]', app.secret)
        await page.click('form[action$="/application"] button')
        const steps = await page.locator('.http-steps').innerText()
        assert.match(
          steps,
          /POST .*\/oidc\/token[\s\S]*HTTP 200[\s\S]*search\?q=a[\s\S]*HTTP 200[\s\S]*revocation/,
        )
        assert.ok(!(await page.content()).includes(app.secret))
        assert.doesNotMatch(steps, /eyJ[\w-]{20}/)
        await hasNoFaults('the steps')
        await page.click('form[action$="/register"] button')
        const beginsAt = (selector: string) =>
          page.evaluate<number>(`{
            const range = document.createRange()
            range.selectNodeContents(document.querySelector('${selector}'))
            range.getBoundingClientRect().left
          }`)
        const horizontalGap =
          (await beginsAt('button.plain')) - (await beginsAt('label[for=wanted]'))
        assert.ok(
          Math.abs(horizontalGap) <= 1,
          `a plain button begins ${horizontalGap} px beside the words above it`,
        )
        await page.click('form[action$="/begin"] button')
        await page.click('[name=decision][value=allow]')
        assert.match(
          await page.locator('.http-steps').innerText(),
          /\/oidc\/auth\n\?response_type=code[\s\S]*&scope=openid offline_access [\s\S]*&code_challenge=[\s\S]*HTTP 303[\s\S]*\/try\/callback\n\?code=.*•/,
        )
        await hasNoFaults('what came back')
        await page.fill('[name=secret]', app.secret)
        await page.click('form[action$="/exchange"] button')
        assert.match(
          await page.locator('.http-steps').innerText(),
          /grant_type=authorization_code[\s\S]*HTTP 200[\s\S]*rates\?page_size=1[\s\S]*HTTP 200[\s\S]*grant_type=refresh_token[\s\S]*HTTP 200[\s\S]*revocation/,
        )
        await page.click('form[action$="/unregister"] button')
        await page.locator('form[action$="/register"]').waitFor()
      })

      if (script)
        it('runs the device flow, listing the responses while the user decides in another tab', async () => {
          const kind = { client_type: 'public', application_type: 'native' } as const
          const created = await createOwnApp(
            service.db,
            developer.id,
            { client_name: 'A box', ...kind },
            20,
            async () => {},
          )
          await page.goto(`${service.url}/console/apps/${created.app.client_id}/try`)
          await hasNoFaults('flows to try')
          await page.click('form[action$="/device"] button')
          await hasNoFaults('a device that waits')
          const steps = page.locator('.http-steps > li')
          const state = page.locator('.poll-state')
          await page.click('form[data-poll] button >> nth=0')
          await state.getByText('The user hasn’t decided yet').waitFor()
          assert.equal(await steps.count(), 2)
          await page.click('form[data-poll] [name=times]')
          await state.getByText('Polled too soon').waitFor()
          assert.equal(await steps.count(), 4)
          await hasNoFaults('answers to a device')
          const [tab] = await Promise.all([
            context.waitForEvent('page'),
            page.click('.device-try a'),
          ])
          await tab.click('form:has([name=confirm]) button >> nth=0')
          await tab.click('[name=decision][value=allow]')
          await tab.getByText('Device connected').first().waitFor()
          await tab.close()
          await page.click('form[data-poll] button >> nth=0')
          await state.getByText('it has its tokens').waitFor()
          // Token, API request, refresh and revocation.
          assert.equal(await steps.count(), 8)
          assert.equal(await page.locator('.device-try').isVisible(), false)
          await hasNoFaults('a device with its tokens')
        })

      it('replaces the secret, and the previous one remains valid until it is revoked', async () => {
        await page.goto(ofApp('/secrets'))
        await hasNoFaults('secrets')
        await page.selectOption('[name=end]', 'week')
        await page.fill('[name=current_password]', 'not the password')
        await page.click(`form:has([name=end]) button`)
        await page.locator('#rotate-password-error').waitFor()
        await page.selectOption('[name=end]', 'week')
        await page.fill('[name=current_password]', developer.password)
        await page.click(`form:has([name=end]) button`)
        const secret = await page.inputValue('#client-secret')
        await hasNoFaults('a new secret')
        assert.deepEqual([await tokenStatus(app.secret), await tokenStatus(secret)], [200, 200])
        await page.goto(ofApp('/secrets'))
        await hasNoFaults('two secrets')
        await page.click('form[action$="/previous"] button')
        await page.locator('[role=status]').waitFor()
        assert.deepEqual([await tokenStatus(app.secret), await tokenStatus(secret)], [401, 200])
        app.secret = secret
      })

      it('shows why a request was rejected', async () => {
        await eventually(async () => {
          await page.goto(ofApp('/usage'))
          return (await page.locator('.refused .card').count()) > 0
        }, 'the refused request is there')
        const refused = page.locator('.refused .card').first()
        assert.match(
          await refused.innerText(),
          /POST \/oidc\/token[\s\S]*401[\s\S]*Client authentication failed[\s\S]*invalid secret provided/,
        )
        assert.match(
          await page.locator('.bars').last().innerText(),
          /PUT \/v3\/user\/me\/rates\/galgames\/\{id\}/,
        )
        await hasNoFaults('use and refusals')
        await page.goto(ofApp('/settings'))
        await hasNoFaults('settings')
        await page.click('form[action$="/logo"] button')
        await page.locator('#picture-error').waitFor()
        await hasNoFaults('no picture')
        await page.click('form[action$="/enabled"] button')
        await page.locator('.state-off').waitFor()
        await hasNoFaults('a disabled app')
        await page.click('form[action$="/enabled"] button')
        await page.locator('.state-on').waitFor()
      })

      it('disconnects the app, whose token is then rejected', async () => {
        await page.goto(`${service.url}/account/apps`)
        await page.click('form[action="/account/apps/withdraw"] button')
        await eventually(
          async () => (await catalogStatus(service, token)) === '401 AUTH_TOKEN_INVALID',
          'the token is refused',
        )
        await page.goto(ofApp('/settings'))
        await page.fill('[name=confirmation]', 'Shelf')
        await page.fill('#delete-password', 'not the password')
        await page.click('form[action$="/delete"] button')
        await page.locator('#confirmation-error').waitFor()
        await hasNoFaults('nothing is deleted')
        await page.fill('[name=confirmation]', 'Shelf <b>of</b> Dora')
        await page.fill('#delete-password', developer.password)
        await page.click('form[action$="/delete"] button')
        assert.equal(await page.locator('[role=status]').innerText(), 'App deleted.')
        await hasNoFaults('it is deleted')
        assert.equal((await page.goto(ofApp()))?.status(), 404)
      })
    },
  )
