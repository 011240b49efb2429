import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import { authorizationRequest, type TestUser } from '#test/authorization.ts'
import { formTo, type PlainBrowser } from '#test/browser.ts'
import { APP_CALLBACK, openConsole, type OpenConsole } from '#test/console.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { updateOwnApp } from '../../apps/owner-queries.ts'

describeOnDatabase('the settings of an app in the console', (engine) => {
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

  it('names this service as the target of its own redirect URIs, even on a loopback address', async () => {
    const namesOnPages = async (redirect_uri: string) => {
      const app = await create({
        client_type: 'public',
        application_type: 'native',
        redirect_uris: [redirect_uri],
      })
      const settings = await browser.get(`/console/apps/${app.client_id}/settings`)
      const [, preview = ''] = settings.text.split('class="consent-page"')
      const { path } = authorizationRequest(
        { clientId: app.client_id, secret: '' },
        { redirect_uri, scope: 'openid' },
      )
      const pages = [preview, (await browser.get(path)).text]
      return pages.map((text) => [
        /This site/.test(text),
        /program on this device/.test(text),
        /runs on your device/.test(text),
      ])
    }
    const ownOnly = [true, false, false]
    assert.deepEqual(await namesOnPages(`${service.url}/docs/callback`), [ownOnly, ownOnly])
    const otherOnly = [false, true, true]
    assert.deepEqual(await namesOnPages('http://127.0.0.1:4000/callback'), [otherOnly, otherOnly])
  })

  it('explains why the last redirect URI is needed, and cannot enable an app that the operator has disabled', async () => {
    const app = await create({
      redirect_uris: [APP_CALLBACK],
      scopes: ['catalog:read', 'status:write'],
    })
    const path = `/console/apps/${app.client_id}/settings`
    const settings = await browser.get(path)
    const [form] = settings.forms
    assert.ok(form)
    const fields = { client_name: 'An app', address_0: '', 'scope_catalog:read': 'yes' }
    const saved = await browser.submit(settings, fields, form)
    assert.equal(saved.status, 422)
    assert.match(saved.text, /id="scope_status:write-error">This scope needs a redirect URI/)
    await service.db
      .updateTable('apps')
      .set({ blocked_at: new Date() })
      .where('client_id', '=', app.client_id)
      .execute()
    const blocked = await browser.get(path)
    const refused = await browser.press(blocked, '/enabled', { enabled: 'yes' })
    assert.equal(refused.status, 422)
    assert.match(refused.text, /operator has disabled/)
  })

  it('lets a developer choose the required scopes, as the API does', async () => {
    const app = await create({
      redirect_uris: [APP_CALLBACK],
      scopes: ['status:read', 'status:write'],
    })
    const path = `/console/apps/${app.client_id}/settings`
    const settings = await browser.get(path)
    const [form] = settings.forms
    assert.ok(form)
    const checked = {
      'required_status:read': 'yes',
      required_email: 'yes',
      'required_catalog:full': 'yes',
    }
    const saved = await browser.submit(settings, checked, form)
    assert.equal(saved.status, 200)
    assert.deepEqual((await stored(app.client_id))?.required_scopes, ['email', 'status:read'])
    assert.match(
      saved.text,
      /id="required_status:read" name="required_status:read" value="yes" checked/,
    )
    const preview = saved.text.slice(saved.text.indexOf('class="consent-page"'))
    assert.match(preview, /doesn’t work without the items marked as required/)
    assert.equal(preview.match(/<span class="tag">required</g)?.length, 2)
    const { app: narrowed } = await updateOwnApp(service.db, developer.id, app.client_id, {
      scopes: [],
    })
    assert.deepEqual(
      narrowed.required_scopes,
      ['email'],
      'what it may not request it does not need',
    )
  })

  it('shows only uploaded logos', async () => {
    const app = await create()
    const path = `/console/apps/${app.client_id}/settings`
    const page = await browser.get(path)
    const send = async (bytes: Buffer, type: string) => {
      const form = new FormData()
      form.set('_csrf', formTo(page, '/logo').fields['_csrf'] ?? '')
      form.set('picture', new Blob([new Uint8Array(bytes)], { type }), 'logo.png')
      const cookie = browser.cookieHeader(path)
      return fetch(`${service.url}${path}/logo`, {
        method: 'POST',
        body: form,
        headers: { cookie, origin: service.url },
        redirect: 'manual',
      })
    }
    const svg = await send(
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      'image/svg+xml',
    )
    assert.equal(svg.status, 422)
    const png = await sharp({
      create: { width: 64, height: 64, channels: 3, background: '#2b4c80' },
    })
      .png()
      .toBuffer()
    assert.equal((await send(png, 'image/png')).status, 303)
    const { logo_hash: hash } = (await stored(app.client_id)) ?? {}
    assert.ok(hash)
    assert.match((await browser.get('/console')).text, new RegExp(`src="/uploads/${hash}\\.webp"`))
    assert.equal((await fetch(`${service.url}/uploads/${hash}.webp`)).status, 200)
  })
})
