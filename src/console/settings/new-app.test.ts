import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { createUser, signedInBrowser, type TestUser } from '#test/authorization.ts'
import { formWith, type PlainBrowser, type Visit } from '#test/browser.ts'
import { APP_CALLBACK, clientIdIn, openConsole, type OpenConsole } from '#test/console.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import { deleteOwnApp, listOwnApps } from '../../apps/owner-queries.ts'

describeOnDatabase('the form for a new app in the console', (engine) => {
  let service: TestService
  let developer: TestUser
  let browser: PlainBrowser
  let create: OpenConsole['create']
  let stored: OpenConsole['stored']
  before(async () => {
    service = await startService({ engine, environment: { APPS_PER_ACCOUNT: '4' } })
    ;({ developer, browser, create, stored } = await openConsole(service))
  })
  after(() => service.close())

  it('adds a field for another redirect URI, up to five, and keeps what was typed', async () => {
    const fieldsOf = ({ text }: Visit) => [...text.matchAll(/ name="address_\d" value="([^"]*)"/g)]
    let page = await browser.submit(await browser.get('/console/new'), { kind: 'server' })
    assert.equal(fieldsOf(page).length, 1)
    page = await browser.submit(page, { client_name: 'Typed', address_0: APP_CALLBACK })
    page = await browser.submit(page, { act: 'back' })
    for (const count of [2, 3, 4, 5, 5]) {
      const form = formWith(page, ['client_name'])
      page = await browser.submit(page, { act: 'add-address' }, form)
      assert.deepEqual([page.status, fieldsOf(page).length], [200, count])
      assert.equal(fieldsOf(page)[0]?.[1], APP_CALLBACK)
      assert.match(page.text, /value="Typed"/)
    }
    assert.doesNotMatch(page.text, /value="add-address"/)
    const { client_id: id } = await create({ client_name: 'Stored', redirect_uris: [APP_CALLBACK] })
    const settings = await browser.get(`/console/apps/${id}/settings`)
    const added = await browser.press(settings, '/settings', {
      client_name: 'Unsaved',
      act: 'add-address',
    })
    assert.deepEqual([added.status, fieldsOf(added).length], [200, 2])
    assert.equal((await stored(id))?.client_name, 'Stored')
    await deleteOwnApp(service.db, developer.id, id)
  })

  it('creates an app in three steps, explains each invalid field, and stores nothing before the last step', async () => {
    let page = await browser.submit(await browser.get('/console/new'), { kind: 'program' })
    const typed = {
      client_name: '<script>alert(1)</script>',
      address_0: APP_CALLBACK,
      address_1: 'javascript:alert(1)',
      address_3: `${APP_CALLBACK}#part`,
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
    const clientId = clientIdIn(page.text)
    const app = await stored(clientId)
    assert.deepEqual(
      [
        app?.client_type,
        app?.application_type,
        app?.redirect_uris,
        app?.privacy_uri,
        app?.account_id,
      ],
      ['public', 'native', [APP_CALLBACK], 'https://e.org/p', developer.id],
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
      ['server', APP_CALLBACK, ['http://127.0.0.1:8976/callback']],
      ['program', 'http://127.0.0.1:4000/callback', []],
    ] as const) {
      const steps = await own.submit(await own.get(`/console/new?kind=${kind}`), {
        client_name: kind,
        ...(path !== undefined && { address_0: path }),
      })
      const [form] = steps.forms
      assert.ok(form)
      const created = await own.submit(steps, { act: 'create' }, form)
      const clientId = clientIdIn(created.text)
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
      const clientId = clientIdIn(created?.text ?? '')
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
    await deleteOwnApp(service.db, developer.id, clientIdIn(page.text))
  })
})
