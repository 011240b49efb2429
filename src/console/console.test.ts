import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import sharp from 'sharp'
import {
  authorizationRequest,
  createUser,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { formWith, type PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { routesOf } from '#test/routes.ts'
import { startService, type TestService } from '#test/service.ts'
import {
  createOwnApp,
  deleteOwnApp,
  listOwnApps,
  rotateSecret,
  updateOwnApp,
} from '../apps/owner-queries.ts'
import { findApps } from '../apps/queries.ts'

const CALLBACK = 'https://example.org/callback'

describeOnDatabase('the console without scripts', (engine) => {
  let service: TestService
  let developer: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await startService({ engine, environment: { APPS_PER_ACCOUNT: '4' } })
    developer = await createUser(service, 'Dora')
    browser = await signedInBrowser(service, developer)
  })
  after(() => service.close())

  const create = async (settings: object = {}, owner = developer) =>
    (
      await createOwnApp(
        service.db,
        owner.id,
        { client_name: 'An app', ...settings },
        1_000,
        async () => {},
      )
    ).app
  const formTo = (visit: Visit, end: string) =>
    visit.forms.find(({ action }) => action.endsWith(end))
  const stored = async (clientId: string) => (await findApps(service.db, [clientId]))[0]
  const ofOthers = [
    '',
    '/settings',
    '/secrets',
    '/usage',
    '/webhooks',
    '/webhooks/:endpoint',
    '/try',
    '/try/callback?code=a&state=b',
    '/try/device',
  ]

  it('redirects guests to the sign-in page, and back afterwards', async () => {
    const { PlainBrowser: Guest } = await import('#test/browser.ts')
    const guest = new Guest(service.url)
    for (const path of ['/console', '/console/new', '/console/apps/mk_0000000000000000/usage']) {
      const page = await guest.get(path)
      assert.equal(new URL(page.url).pathname, '/sign-in')
    }
    const { email, password } = developer
    const { url } = await guest.submit(await guest.get('/sign-in'), { email, password })
    assert.equal(new URL(url).pathname, '/console/apps/mk_0000000000000000/usage')
    assert.match((await guest.get('/console/callback?code=a')).text, /You can close this page/)
  })

  it('returns 404 for apps of other developers or the operator, and for unknown ones', async () => {
    const other = await createUser(service, 'Other')
    const otherApp = await create({ redirect_uris: [CALLBACK] }, other)
    const own = await create({ redirect_uris: [CALLBACK] })
    const token =
      (await browser.get(`/console/apps/${own.client_id}/settings`)).forms[0]?.fields['_csrf'] ?? ''
    const ofApp = '/console/apps/:client_id'
    const routes = routesOf(service).filter(({ url }) => url.startsWith(ofApp))
    const sections = (method: string) =>
      routes.flatMap((route) => (route.method === method ? [route.url.slice(ofApp.length)] : []))
    const forms = sections('POST')
    assert.deepEqual(
      [forms.length, sections('GET').toSorted()],
      [21, ofOthers.map((path) => path.replace(/\?.*/, '')).toSorted()],
    )
    const before = await stored(otherApp.client_id)
    for (const id of [
      otherApp.client_id,
      'mokuroku-console',
      'mk_0000000000000000',
      '..%2fa',
      `a'b`,
    ]) {
      for (const path of ofOthers)
        assert.equal((await browser.get(`/console/apps/${id}${path}`)).status, 404, `${id} ${path}`)
      for (const path of forms) {
        const fields = {
          _csrf: token,
          client_name: 'Stolen',
          enabled: 'no',
          confirmation: otherApp.client_name,
          current_password: developer.password,
        }
        assert.equal(
          (await browser.post(`/console/apps/${id}${path}`, fields)).status,
          404,
          `${id} ${path}`,
        )
      }
    }
    assert.deepEqual(await stored(otherApp.client_id), before)
    assert.equal(
      (await browser.post(`/console/apps/${own.client_id}/settings`, {})).status,
      403,
      'no token',
    )
  })

  it('adds a field for another redirect URI, up to five, and keeps what was typed', async () => {
    const fieldsOf = ({ text }: Visit) => [...text.matchAll(/ name="address_\d" value="([^"]*)"/g)]
    let page = await browser.submit(await browser.get('/console/new'), { kind: 'server' })
    assert.equal(fieldsOf(page).length, 1)
    page = await browser.submit(page, { client_name: 'Typed', address_0: CALLBACK })
    page = await browser.submit(page, { act: 'back' })
    for (const count of [2, 3, 4, 5, 5]) {
      const form = formWith(page, ['client_name'])
      page = await browser.submit(page, { act: 'add-address' }, form)
      assert.deepEqual([page.status, fieldsOf(page).length], [200, count])
      assert.equal(fieldsOf(page)[0]?.[1], CALLBACK)
      assert.match(page.text, /value="Typed"/)
    }
    assert.doesNotMatch(page.text, /value="add-address"/)
    const { client_id: id } = await create({ client_name: 'Stored', redirect_uris: [CALLBACK] })
    const settings = await browser.get(`/console/apps/${id}/settings`)
    const added = await browser.submit(
      settings,
      { client_name: 'Unsaved', act: 'add-address' },
      formTo(settings, '/settings'),
    )
    assert.deepEqual([added.status, fieldsOf(added).length], [200, 2])
    assert.equal((await stored(id))?.client_name, 'Stored')
    await deleteOwnApp(service.db, developer.id, id)
  })

  it('creates an app in three steps, explains each invalid field, and stores nothing before the last step', async () => {
    let page = await browser.submit(await browser.get('/console/new'), { kind: 'program' })
    const typed = {
      client_name: '<script>alert(1)</script>',
      address_0: CALLBACK,
      address_1: 'javascript:alert(1)',
      address_3: `${CALLBACK}#part`,
      privacy_uri: 'data:text/html,x',
    }
    page = await browser.submit(page, typed, formWith(page, ['client_name']))
    assert.equal(page.status, 422)
    for (const field of ['address_1', 'address_3', 'privacy_uri'])
      assert.match(page.text, new RegExp(`id="${field}-error"`))
    assert.doesNotMatch(page.text, /id="address_[024]-error"|<script>alert/)
    // A web page cannot use a custom scheme, so the message does not suggest one.
    assert.match(page.text, /id="privacy_uri-error">Enter an https URL/)
    page = await browser.submit(page, {
      address_1: '',
      address_3: '',
      privacy_uri: 'https://e.org/p',
    })
    assert.match(page.text, /class="consent-page" inert/)
    assert.doesNotMatch(page.text, /<script>alert/)
    const [form] = page.forms
    assert.ok(form)
    page = await browser.submit(page, { 'scope_status:write': 'yes', act: 'create' }, form)
    assert.equal(page.status, 201)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const clientId = /id="client-id" value="(mk_[\w-]+)"/.exec(page.text)?.[1] ?? ''
    const app = await stored(clientId)
    assert.deepEqual(
      [
        app?.client_type,
        app?.application_type,
        app?.redirect_uris,
        app?.privacy_uri,
        app?.account_id,
      ],
      ['public', 'native', [CALLBACK], 'https://e.org/p', developer.id],
    )
    const needs = await browser.submit(await browser.get('/console/new?kind=page'), {
      client_name: 'P',
    })
    assert.match(needs.text, /id="address_0-error"/)
  })

  it('creates an app of each kind that works with its first sample program, or says what the app lacks', async () => {
    const maker = await createUser(service, 'Maker')
    const own = await signedInBrowser(service, maker)
    for (const [kind, path, missing] of [
      ['bot', undefined, []],
      ['server', CALLBACK, ['http://127.0.0.1:8976/callback']],
      ['program', 'http://127.0.0.1:4000/callback', []],
    ] as const) {
      const steps = await own.submit(await own.get(`/console/new?kind=${kind}`), {
        client_name: kind,
        ...(path !== undefined && { address_0: path }),
      })
      const [form] = steps.forms
      assert.ok(form)
      const created = await own.submit(steps, { act: 'create' }, form)
      const clientId = /id="client-id" value="(mk_[\w-]+)"/.exec(created.text)?.[1] ?? ''
      assert.deepEqual((await stored(clientId))?.scopes, ['catalog:read'], kind)
      const { text } = await own.get(`/console/apps/${clientId}`)
      const notices = [...text.matchAll(/<p class="notice">.*?<code>(.*?)<\/code>/g)].map(
        ([, named]) => named,
      )
      assert.deepEqual(notices, missing, kind)
    }
    const emptyForm = await create({}, maker)
    assert.match(
      (await own.get(`/console/apps/${emptyForm.client_id}`)).text,
      /<p class="notice">The samples request catalog:read/,
    )
  })

  it('enforces the maximum number of apps per account, even for concurrent requests', async () => {
    const busy = await createUser(service, 'Busy')
    const own = await signedInBrowser(service, busy)
    const keys = new Set<string | undefined>()
    const pages = await Promise.all(
      Array.from({ length: 9 }, async () => {
        const repeated = await own.submit(await own.get('/console/new?kind=bot'), {
          client_name: 'B',
        })
        keys.add(repeated.forms[0]?.fields['form_key'])
        return own.submit(
          repeated,
          { 'scope_catalog:read': 'yes', act: 'create' },
          repeated.forms[0],
        )
      }),
    )
    assert.equal(keys.size, 9)
    const statuses = pages.map(({ status }) => status)
    assert.deepEqual(
      [201, 422].map((status) => statuses.filter((each) => each === status).length),
      [4, 5],
    )
    assert.match(pages.find(({ status }) => status === 422)?.text ?? '', /at most 4 apps/)
  })

  it('creates only one app if a form is submitted twice, by reloading or concurrently', async () => {
    const busy = await createUser(service, 'Twice')
    const own = await signedInBrowser(service, busy)
    const owned = () => listOwnApps(service.db, busy.id)
    for (const [kind, path, secrets] of [
      ['bot', undefined, 1],
      ['program', 'http://127.0.0.1:4000/callback', 0],
    ] as const) {
      const before = (await owned()).length
      const steps = await own.submit(await own.get(`/console/new?kind=${kind}`), {
        client_name: kind,
        ...(path !== undefined && { address_0: path }),
      })
      const [form] = steps.forms
      assert.ok(form)
      // Changing the selected scopes does not create a new form key.
      const pages = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          own.submit(
            steps,
            { act: 'create', ...(index % 2 && { 'scope_catalog:full': 'yes' }) },
            form,
          ),
        ),
      )
      const [created, ...others] = pages.toSorted((a, b) => b.status - a.status)
      assert.equal((await owned()).length, before + 1)
      const clientId = /id="client-id" value="(mk_[\w-]+)"/.exec(created?.text ?? '')?.[1] ?? ''
      assert.equal(created?.status, 201)
      assert.equal(pages.filter(({ text }) => text.includes('mks_')).length, secrets)
      for (const { url, text } of others) {
        assert.equal(new URL(url).pathname, `/console/apps/${clientId}`)
        assert.match(text, /role="status"><p>This form was already submitted/)
        assert.equal(/can’t be shown again/.test(text), secrets > 0)
      }
      assert.doesNotMatch((await own.get(`/console/apps/${clientId}`)).text, /already submitted/)
    }
    // A malformed key creates nothing; the form is shown again.
    const steps = await own.submit(await own.get('/console/new?kind=bot'), { client_name: 'B' })
    const count = (await owned()).length
    for (const key of ['', 'x', 'é'.repeat(43), 'A'.repeat(5_000)]) {
      const page = await own.submit(steps, { act: 'create', form_key: key }, steps.forms[0])
      assert.deepEqual([page.status, (await owned()).length], [200, count], key.slice(0, 9))
      assert.match(page.forms[0]?.fields['form_key'] ?? '', /^[\w-]{43}$/)
    }
    // Another account's key does not find that account's app.
    const key = steps.forms[0]?.fields['form_key'] ?? ''
    await own.submit(steps, { act: 'create' }, steps.forms[0])
    const otherDevelopersApp = await browser.submit(await browser.get('/console/new?kind=bot'), {
      client_name: 'B',
    })
    const page = await browser.submit(
      otherDevelopersApp,
      { act: 'create', form_key: key },
      otherDevelopersApp.forms[0],
    )
    assert.equal(page.status, 201)
    await deleteOwnApp(
      service.db,
      developer.id,
      /id="client-id" value="(mk_[\w-]+)"/.exec(page.text)?.[1] ?? '',
    )
  })

  it('requires the password to rotate a secret or delete an app, and shows the secret in that response only', async () => {
    const app = await create({ redirect_uris: [CALLBACK] })
    const path = `/console/apps/${app.client_id}`
    const secrets = await browser.get(`${path}/secrets`)
    const wrong = await browser.submit(
      secrets,
      { end: 'day', current_password: 'wrong' },
      formTo(secrets, '/secrets'),
    )
    assert.equal(wrong.status, 422)
    assert.equal((await stored(app.client_id))?.secret_hash, app.secret_hash)
    const right = await browser.submit(
      secrets,
      { end: 'hour', current_password: developer.password },
      formTo(secrets, '/secrets'),
    )
    assert.match(right.text, /mks_[\w-]{43}/)
    const rotated = await stored(app.client_id)
    assert.equal(rotated?.previous_secret_hash, app.secret_hash)
    // Browsers repeat the request when the page with the secret is reloaded.
    const repeated = await browser.submit(
      secrets,
      { end: 'hour', current_password: developer.password },
      formTo(secrets, '/secrets'),
    )
    assert.equal(repeated.status, 409)
    assert.doesNotMatch(repeated.text, /mks_/)
    assert.equal((await stored(app.client_id))?.previous_secret_hash, app.secret_hash)
    for (const section of ofOthers)
      assert.doesNotMatch((await browser.get(path + section)).text, /mks_/, section)
    const settings = await browser.get(`${path}/settings`)
    for (const [confirmation, password] of [
      ['Another', developer.password],
      ['An app', 'wrong'],
    ] as const) {
      const fields = { confirmation, current_password: password }
      const refused = await browser.submit(settings, fields, formTo(settings, '/delete'))
      assert.equal(refused.status, 422)
    }
    assert.ok(await stored(app.client_id))
    const fields = { confirmation: 'An app', current_password: developer.password }
    await browser.submit(settings, fields, formTo(settings, '/delete'))
    assert.equal(await stored(app.client_id), undefined)
  })

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
      redirect_uris: [CALLBACK],
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
    const refused = await browser.submit(blocked, { enabled: 'yes' }, formTo(blocked, '/enabled'))
    assert.equal(refused.status, 422)
    assert.match(refused.text, /operator has disabled/)
  })

  const DEVICE = { client_type: 'public', application_type: 'native' }
  const stepsOf = ({ text }: Visit) => text.slice(text.indexOf('class="http-steps"'))

  it('simulates a device, and shows each request and response until the user allows access', async () => {
    const app = await create(DEVICE)
    const path = `/console/apps/${app.client_id}/try`
    const restoredPage = await browser.get(path)
    const waiting = await browser.submit(
      restoredPage,
      { asked: 'openid catalog:read' },
      formTo(restoredPage, '/device'),
    )
    assert.match(
      stepsOf(waiting),
      /POST [^ ]*\/oidc\/device\/auth[\s\S]*HTTP 400/,
      'it has no such scope',
    )
    assert.match(stepsOf(waiting), /invalid_scope/)
    const begun = await browser.submit(
      restoredPage,
      { asked: 'openid' },
      formTo(restoredPage, '/device'),
    )
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

    const polled = await browser.submit(begun, {}, formTo(begun, '/poll'))
    assert.match(stepsOf(polled), /HTTP 400[\s\S]*authorization_pending/)
    assert.match(polled.text, /role="status"><div class="notice"><p>The user hasn’t decided yet/)
    const hasty = await browser.submit(polled, { times: '2' }, formTo(polled, '/poll'))
    assert.match(hasty.text, /role="status"><div class="notice"><p>Polled too soon/)
    assert.match(stepsOf(hasty), /slow_down/)

    let page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
    page = await browser.submit(page, {}, formTo(page, '/oidc/device'))
    page = await browser.submit(page, { decision: 'allow' })
    const done = await browser.submit(hasty, { times: '2' }, formTo(hasty, '/poll'))
    assert.match(
      stepsOf(done),
      /device_code=[\w-]{4}•••[\s\S]*HTTP 200[\s\S]*GET [^ ]*\/oidc\/me[\s\S]*HTTP 200[\s\S]*token\/revocation/,
    )
    assert.match(done.text, /it has its tokens/)
    assert.equal(formTo(done, '/poll'), undefined)
    const over = await browser.post(
      `${path}/device/poll`,
      hasty.forms.find(({ action }) => action.endsWith('/poll'))?.fields ?? {},
    )
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
    const begun = await browser.submit(
      restoredPage,
      { secret, asked: 'openid' },
      formTo(restoredPage, '/device'),
    )
    assert.ok(!begun.text.includes(secret))
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(begun.text) ?? []
    const wrong = await browser.submit(begun, { secret: 'wrong' }, formTo(begun, '/poll'))
    assert.match(wrong.text, /The request was refused: invalid_client/)
    const page = await browser.submit(await browser.get('/oidc/device'), { user_code: code })
    await browser.submit(page, { abort: 'yes' }, formTo(page, '/oidc/device'))
    const refused = await browser.submit(wrong, { secret }, formTo(wrong, '/poll'))
    assert.match(refused.text, /The request was refused: access_denied/)
    assert.equal(formTo(refused, '/poll'), undefined)
  })

  it('redeems no code from the response to another sign-in', async () => {
    const app = await create({ redirect_uris: [CALLBACK] })
    const path = `/console/apps/${app.client_id}/try`
    const unregistered = await browser.get(path)
    const page = await browser.submit(unregistered, {}, formTo(unregistered, '/register'))
    const { fields } = formTo(page, '/begin') ?? {}
    for (const response of ['', '?code=x&state=y', '://', '?error=access_denied']) {
      await browser.submit(page, { wanted: 'openid 日本' }, formTo(page, '/begin'))
      const refused = await browser.post(`${path}/exchange`, { ...fields, secret: 'x', response })
      assert.equal(refused.status, 200, response)
      assert.match(refused.text, /The request was refused: state_mismatch/)
      assert.doesNotMatch(stepsOf(refused), /HTTP/)
    }
  })

  it('rejects the device flow for unsuitable apps and for other sessions', async () => {
    const app = await create({ redirect_uris: [CALLBACK] })
    const path = `/console/apps/${app.client_id}/try`
    const page = await browser.get(path)
    assert.equal(formTo(page, '/device'), undefined)
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

  it('lets a developer choose the required scopes, as the API does', async () => {
    const app = await create({ redirect_uris: [CALLBACK], scopes: ['status:read', 'status:write'] })
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
      form.set('_csrf', formTo(page, '/logo')?.fields['_csrf'] ?? '')
      form.set('picture', new Blob([new Uint8Array(bytes)], { type }), 'logo.png')
      const cookie = Object.entries(browser.cookies(path))
        .map(([name, value]) => `${name}=${value}`)
        .join('; ')
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
