import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import * as openid from 'openid-client'
import {
  basicAuthorization,
  catalogStatus,
  createClient,
  createUser,
  openidClient,
  postToProvider,
  refresh,
  sendTokenRequest,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { COMMAND_LINE_CLIENT_ID, CONSOLE_CLIENT_ID } from '../../apps/operator/first-party.ts'
import { formWith, PlainBrowser, type Visit } from '#test/browser.ts'
import { skipEmbedded, describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { waitForBlocked } from '#test/blocked-connections.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const PROGRAM = { clientType: 'public', applicationType: 'native' } as const
type Started = {
  device_code: string
  user_code: string
  verification_uri: string
  interval?: number
}

describeOnDatabase('the device flow', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    // An app without a redirect URI.
    app = await createClient(service, { ...PROGRAM, redirectUris: [] })
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const start = (form: Record<string, string> = {}, client = app) =>
    client.secret === ''
      ? postToProvider(`${service.url}/oidc/device/auth`, { client_id: client.clientId, ...form })
      : postToProvider(`${service.url}/oidc/device/auth`, form, basicAuthorization(client))
  async function started(scope = 'openid catalog:read', client = app): Promise<Started> {
    const { status, body } = await start({ scope }, client)
    assert.equal(status, 200, JSON.stringify(body))
    // as: a response as defined in RFC 8628 §3.2
    return body as unknown as Started
  }
  const poll = (device_code: string, client = app) =>
    sendTokenRequest(service, client, { grant_type: GRANT, device_code })
  const errorOf = async (device_code: string, client = app) => {
    const { status, body } = await poll(device_code, client)
    return `${status} ${String(body['error'])}`
  }
  const type = async (user_code: string, from = browser) =>
    from.submit(await from.get('/oidc/device'), { user_code })
  /** Follows the pages to the last one. */
  async function allow(visit: Visit, from = browser) {
    let page = visit
    for (let step = 0; step < 5; step += 1) {
      const names = new Set(
        page.forms.flatMap(({ fields, buttons }) => [
          ...Object.keys(fields),
          ...buttons.map(({ name }) => name),
        ]),
      )
      if (names.has('confirm')) page = await from.submit(page, {}, formWith(page, ['confirm']))
      else if (names.has('password'))
        page = await from.submit(page, { email: user.email, password: user.password })
      else if (names.has('decision')) page = await from.submit(page, { decision: 'allow' })
      else return page
    }
    return page
  }

  it('gives openid-client tokens once the user has typed the code, signed in and consented', async () => {
    const config = await openidClient(service, app)
    const response = await openid.initiateDeviceAuthorization(config, {
      scope: 'openid offline_access catalog:read',
      prompt: 'consent',
    })
    assert.equal(response.verification_uri, `${service.url}/oidc/device`)
    assert.equal(response.expires_in, 600)
    const fresh = new PlainBrowser(service.url)
    const confirmation = await type(response.user_code.toLowerCase(), fresh)
    assert.match(confirmation.text, /Test/, 'the page names the app')
    assert.ok(confirmation.text.includes(response.user_code))
    const done = await allow(confirmation, fresh)
    assert.deepEqual([done.status, done.forms.length], [200, 0], done.text)
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...response, interval: 0 })
    assert.equal(tokens.claims()?.sub, String(user.id))
    assert.equal(await catalogStatus(service, tokens.access_token), '200')
    assert.equal((await refresh(service, app, tokens.refresh_token ?? '')).status, 200)
  })

  it('shows the signed-in user on its pages, and asks guests to sign in', async () => {
    const name = `<span class="name">${user.name}</span>`
    const fresh = new PlainBrowser(service.url)
    const { user_code } = await started()
    for (const [from, isReader] of [
      [fresh, false],
      [browser, true],
    ] as const) {
      const page = await from.get('/oidc/device')
      const wrong = await from.submit(page, { user_code: 'none' })
      const confirmation = await from.submit(wrong, { user_code })
      for (const { text, headers } of [page, wrong, confirmation]) {
        assert.equal(text.includes(name), isReader)
        assert.equal(/<a href="\/account">Sign in</.test(text), !isReader)
        assert.match(headers.get('cache-control') ?? '', /no-store/)
      }
      if (isReader) assert.ok((await allow(confirmation)).text.includes(name), 'when it is done')
    }
    for (const path of ['/oidc/auth?client_id=none', '/oidc/session/end'])
      assert.ok((await browser.get(path)).text.includes(name), path)
  })

  it('accepts the code in the URL, but still asks for confirmation', async () => {
    const { device_code, user_code } = await started()
    const page = await browser.get(`/oidc/device?user_code=${user_code}`)
    assert.equal(await errorOf(device_code), '400 authorization_pending')
    const confirmation = page.forms.some(({ fields }) => 'confirm' in fields)
      ? page
      : await browser.submit(page)
    await allow(confirmation)
    assert.equal((await poll(device_code)).status, 200)
  })

  it('always shows the app, the origin of the request and its scopes, even after earlier consent', async () => {
    const scope = 'openid status:read'
    await allow(await type((await started(scope)).user_code))
    for (const more of [{}, { prompt: 'consent' }] as Record<string, string>[]) {
      const { body } = await start({ scope, ...more })
      const confirmation = await type(String(body['user_code']))
      const facts = (page: Visit) =>
        assert.match(
          page.text,
          /<code>127\.0\.0\.1<\/code>.*<time datetime="20\d\d-/s,
          'place and time',
        )
      facts(confirmation)
      assert.match(confirmation.text, /Test wants to connect/)
      const page = await browser.submit(confirmation, {}, formWith(confirmation, ['confirm']))
      facts(page)
      assert.match(page.text, /Test.*nothing beyond what you’ve already allowed.*See your ratings/s)
      assert.match(page.text, /If someone sent you this code, don’t continue/)
      assert.equal(await errorOf(String(body['device_code'])), '400 authorization_pending')
      await browser.submit(page, { decision: 'allow' })
      assert.equal((await poll(String(body['device_code']))).status, 200)
    }
  })

  it('requires a new sign-in if the device asks for it', async () => {
    const scope = 'openid'
    const hasPasswordField = ({ forms }: Visit) => forms.some(({ fields }) => 'password' in fields)
    for (const form of [{}, { prompt: 'login' }, { max_age: '0' }, { prompt: 'consent login' }]) {
      const { body } = await start({ scope, ...form })
      const confirmation = await type(String(body['user_code']))
      const page = await browser.submit(confirmation, {}, formWith(confirmation, ['confirm']))
      assert.equal(hasPasswordField(page), Object.keys(form).length > 0, JSON.stringify(form))
      await allow(page)
      assert.equal((await poll(String(body['device_code']))).status, 200)
    }
  })

  it('shows the IP address of the connection, whatever the request headers claim', async () => {
    const { body } = await postToProvider(
      `${service.url}/oidc/device/auth`,
      { client_id: app.clientId, scope: 'openid' },
      { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
    )
    const { text } = await type(String(body['user_code']))
    assert.ok(text.includes('<code>127.0.0.1</code>') && !text.includes('203.0.113.9'))
  })

  it('is available to native apps, to websites that enable it and to the command line, but not to the console', async () => {
    const outcome = async (client: TestApp) => {
      const { status, body } = await start({ scope: 'openid' }, client)
      return status === 200 ? 'ok' : String(body['error'])
    }
    const website = await createClient(service)
    assert.equal(await outcome(website), 'invalid_request')
    await service.db
      .updateTable('apps')
      .set({ grant_types: JSON.stringify([GRANT, 'refresh_token']) })
      .where('client_id', '=', website.clientId)
      .execute()
    assert.equal(await outcome(website), 'ok')
    assert.equal(
      await outcome(await createClient(service, { clientType: 'public' })),
      'invalid_request',
    )
    assert.equal(await outcome(await createClient(service, PROGRAM)), 'ok')
    assert.equal(await outcome({ clientId: CONSOLE_CLIENT_ID, secret: '' }), 'invalid_request')
    assert.equal(await outcome({ clientId: COMMAND_LINE_CLIENT_ID, secret: '' }), 'ok')
  })

  it('works for confidential apps', async () => {
    const client = await createClient(service, { applicationType: 'native' })
    const { device_code, user_code } = await started('status:read', client)
    await allow(await type(user_code))
    const { status, body } = await poll(device_code, client)
    assert.deepEqual([status, body['scope']], [200, 'status:read'])
  })

  it('returns slow_down to a device that polls too fast, without a penalty', async () => {
    const { device_code, user_code } = await started()
    const other = await started()
    assert.equal(await errorOf(device_code), '400 authorization_pending')
    assert.equal(await errorOf(device_code), '400 slow_down')
    assert.equal(await errorOf(other.device_code), '400 authorization_pending')
    await sleep(600)
    assert.equal(await errorOf(device_code), '400 authorization_pending')
    await allow(await type(user_code))
    assert.equal((await poll(device_code)).status, 200)
  })

  it('keeps the device waiting until the user decides', async () => {
    const { device_code, user_code } = await started()
    assert.equal(await errorOf(device_code), '400 authorization_pending')
    const confirmation = await type(user_code)
    assert.match(await errorOf(device_code), /^400 (authorization_pending|slow_down)$/)
    await allow(confirmation)
    assert.equal((await poll(device_code)).status, 200)
  })

  it('reports the user’s refusal on either page to the device', async () => {
    const first = await started()
    const confirmation = await type(first.user_code)
    await browser.submit(confirmation, { abort: 'yes' }, formWith(confirmation, ['confirm']))
    assert.equal(await errorOf(first.device_code), '400 access_denied')

    const second = await started('openid status:write')
    const confirm = await type(second.user_code)
    const consent = await browser.submit(confirm, {}, formWith(confirm, ['confirm']))
    await browser.submit(consent, { decision: 'deny' })
    assert.equal(await errorOf(second.device_code), '400 access_denied')
  })

  it('reports a wrong, expired or used code', async () => {
    for (const wrong of ['', 'AAAA-BBBB', 'x'.repeat(200), '<b>', 'a\0b']) {
      const page = await type(wrong)
      assert.ok(page.status < 500, wrong)
      assert.match(page.text, /role="alert"/, wrong)
      assert.ok(!page.text.includes('<b>'))
    }
    const { device_code, user_code } = await started()
    await allow(await type(user_code))
    assert.match((await type(user_code)).text, /role="alert"/)
    assert.equal((await poll(device_code)).status, 200)
    const late = await started()
    await service.db
      .updateTable('oidc_records')
      .set(({ fn, ref, val }) => ({
        expires_at: new Date(Date.now() - 1),
        payload: fn<string>('regexp_replace', [
          ref('payload'),
          val('"exp":\\d+'),
          val('"exp":1600000000'),
        ]),
      }))
      .where('user_code', 'is not', null)
      .execute()
    assert.match((await type(late.user_code)).text, /role="alert"/)
    assert.match(await errorOf(late.device_code), /^400 (expired_token|invalid_grant)$/)
  })

  it(
    'keeps a device waiting while consent is stored, and then issues its tokens',
    { skip: skipEmbedded(engine) },
    async () => {
      // The session does not have this grant yet.
      const other = await createClient(service, { ...PROGRAM, redirectUris: [] })
      const { device_code, user_code } = await started('openid', other)
      const confirmation = await type(user_code)
      const page = await browser.submit(confirmation, {}, formWith(confirmation, ['confirm']))
      // Locks the session row, so that the consent cannot be stored completely.
      const allowed = await service.db.transaction().execute(async (trx) => {
        await trx
          .selectFrom('sessions')
          .select('uid')
          .where('account_id', '=', user.id)
          .forUpdate()
          .execute()
        const response = browser.submit(page, { decision: 'allow' })
        await waitForBlocked(trx, 1)
        assert.equal(await errorOf(device_code, other), '400 authorization_pending')
        return { answer: response }
      })
      assert.equal((await allowed.answer).status, 200)
      assert.equal((await poll(device_code, other)).status, 200)
    },
  )

  it('issues tokens once, and a second use revokes them', async () => {
    const { device_code, user_code } = await started()
    await allow(await type(user_code))
    const responses = await Promise.all([poll(device_code), poll(device_code), poll(device_code)])
    // At most one response has tokens: none if a second use revoked them before the first response.
    assert.ok(responses.filter(({ status }) => status === 200).length <= 1)
    assert.equal(await errorOf(device_code), '400 invalid_grant')
  })

  it('issues nothing to another app or for an invalid code', async () => {
    const { device_code, user_code } = await started()
    await allow(await type(user_code))
    const attacker = await createClient(service, PROGRAM)
    assert.equal(await errorOf(device_code, attacker), '400 invalid_grant')
    const { id_hash } = await service.db
      .selectFrom('oidc_records')
      .select('id_hash')
      .where('model', '=', 'DeviceCode')
      .where('consumed_at', 'is', null)
      .orderBy('expires_at', 'desc')
      .executeTakeFirstOrThrow()
    for (const wrong of ['x', user_code, id_hash, `sha256:${id_hash}`])
      assert.equal(await errorOf(wrong), '400 invalid_grant', wrong)
    assert.equal((await poll(device_code)).status, 200)
  })

  it('is refused for a scope that the app does not have, or for an unknown app', async () => {
    const narrow = await createClient(service, { ...PROGRAM, redirectUris: [], scopes: [] })
    for (const scope of ['status:read', 'nobody:knows', 'openid catalog:full', '']) {
      const { status, body } = await start({ scope }, narrow)
      assert.deepEqual([status, body['error']], [400, 'invalid_scope'], scope)
    }
    const { status, body } = await start({ scope: 'openid' }, { clientId: 'mk_nobody', secret: '' })
    assert.deepEqual([status, body['error']], [401, 'invalid_client'])
  })
})
