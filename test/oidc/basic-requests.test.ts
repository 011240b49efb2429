import { UnsecuredJWT } from 'jose'
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  CALLBACK,
  createClient,
  createUser,
  completeFlow,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import {
  codeOf,
  errorOf,
  signInSilently,
  redeemCode,
  ageSignIn,
  signInAtApp,
  type Parameters,
  type RelyingParty,
} from './relying-party.ts'

/** Runs the parts of `oidcc-basic-certification-test-plan` about request parameters. */
describeOnDatabase('OpenID Connect Basic OP, requests', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  let party: RelyingParty
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
    party = { service, app: await createClient(service), authentication: 'client_secret_basic' }
    await signInAtApp(party, browser, user)
  })
  after(() => service.close())

  const request = (parameters: Parameters) =>
    authorizationRequest(party.app, { scope: 'openid', nonce: 'a nonce', ...parameters })
  const send = (parameters: Parameters, by = new PlainBrowser(service.url)) =>
    by.get(request(parameters).path)

  function isSignInPage({ status, text, location }: Visit) {
    assert.deepEqual([status, location], [200, undefined])
    assert.match(text, /<input[^>]* name="password"/)
  }

  /** Asserts that a page is shown, without a redirect to the app. */
  function isErrorPage({ status, text, location, headers }: Visit) {
    assert.deepEqual([status, location], [400, undefined])
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    // The search box of every page leads to the catalog.
    assert.doesNotMatch(
      text,
      /<form(?! class="find"[^>]* action="\/search")|<script(?! src="\/assets\/)|http-equiv/,
    )
  }

  it('oidcc-response-type-missing: redirects to the app with invalid_request', async () => {
    assert.equal(errorOf(party, await send({ response_type: undefined })), 'invalid_request')
  })

  for (const display of ['page', 'popup'])
    it(`oidcc-display-${display}: shows the usual sign-in page`, async () => {
      const fresh = new PlainBrowser(service.url)
      const { path, verifier } = request({ display })
      const page = await fresh.get(path)
      isSignInPage(page)
      await redeemCode(party, {
        code: codeOf(party, await completeFlow(fresh, page, user)),
        verifier,
      })
    })

  it('oidcc-prompt-login: asks a signed-in user to sign in again, and returns the new sign-in time in the ID token', async () => {
    const first = await signInSilently(party, browser, { max_age: '10000' })
    await ageSignIn(service, user, 100)
    const { path, verifier } = request({ prompt: 'login', max_age: '10000' })
    const page = await browser.get(path)
    isSignInPage(page)
    const code = codeOf(party, await completeFlow(browser, page, user))
    const second = await redeemCode(party, { code, verifier })
    assert.equal(second.claims.sub, first.claims.sub)
    assert.ok(Number(second.claims['auth_time']) >= Number(first.claims['auth_time']))
  })

  it('oidcc-prompt-none-not-logged-in: redirects with login_required, and shows no page', async () => {
    assert.equal(errorOf(party, await send({ prompt: 'none' })), 'login_required')
  })

  it('oidcc-prompt-none-logged-in: returns the same account and sign-in time', async () => {
    const first = await signInSilently(party, browser, { max_age: '10000' })
    const second = await signInSilently(party, browser, { prompt: 'none', max_age: '10000' })
    assert.deepEqual(
      [second.claims.sub, second.claims['auth_time']],
      [first.claims.sub, first.claims['auth_time']],
    )
  })

  it('oidcc-max-age-1: asks the user to sign in again after one second, and returns the new sign-in time in the ID token', async () => {
    await ageSignIn(service, user, 1_000)
    const first = await signInSilently(party, browser, { max_age: '10000' })
    assert.equal(
      errorOf(party, await send({ prompt: 'none', max_age: '1' }, browser)),
      'login_required',
    )
    const { path, verifier } = request({ max_age: '1' })
    const page = await browser.get(path)
    isSignInPage(page)
    const code = codeOf(party, await completeFlow(browser, page, user))
    const { claims } = await redeemCode(party, { code, verifier })
    assert.equal(claims.sub, first.claims.sub)
    assert.ok(Number(claims['auth_time']) > Number(first.claims['auth_time']) + 900)
    assert.ok((claims.iat ?? 0) - Number(claims['auth_time']) < 60)
  })

  it('oidcc-max-age-10000: accepts an earlier sign-in, and returns its time in the ID token', async () => {
    await ageSignIn(service, user, 5_000)
    const first = await signInSilently(party, browser, { max_age: '10000' })
    const second = await signInSilently(party, browser, { max_age: '10000' })
    assert.equal(second.claims['auth_time'], first.claims['auth_time'])
    assert.ok((second.claims.iat ?? 0) - Number(second.claims['auth_time']) >= 4_999)
    await ageSignIn(service, user, 5_001)
    isSignInPage(await send({ max_age: '10000' }, browser))
  })

  it('oidcc-ensure-request-with-unknown-parameter-succeeds: ignores the unknown parameter', async () => {
    const unknown = { extra: 'foobar', access_type: 'offline', foo: '%00', __proto__x: '1' }
    await signInSilently(party, browser, unknown)
  })

  it('oidcc-id-token-hint: accepts only an ID token of the signed-in account', async () => {
    const { tokens, claims } = await signInSilently(party, browser)
    const id_token_hint = tokens.id_token
    const second = await signInSilently(party, browser, { prompt: 'none', id_token_hint })
    assert.equal(second.claims.sub, claims.sub)
    const other = await createUser(service)
    const otherBrowser = await signedInBrowser(service, other)
    assert.equal(
      errorOf(party, await send({ prompt: 'none', id_token_hint }, otherBrowser)),
      'login_required',
    )
    assert.equal(errorOf(party, await send({ id_token_hint: 'x.y.z' }, browser)), 'invalid_request')
  })

  it('oidcc-login-hint: prefills the email field of the sign-in page', async () => {
    const page = await send({ login_hint: user.email })
    isSignInPage(page)
    assert.equal(page.forms.find(({ fields }) => 'password' in fields)?.fields['email'], user.email)
    isSignInPage(await send({ login_hint: '"><script>alert(1)</script>' }))
  })

  it('oidcc-ui-locales: uses the first supported language', async () => {
    for (const [ui_locales, language] of [
      ['ja', 'ja'],
      ['se zh-CN en', 'zh-Hans'],
      ['se', 'en'],
    ] as const) {
      const page = await send({ ui_locales })
      isSignInPage(page)
      assert.match(page.text, new RegExp(`<html lang="${language}"`))
    }
  })

  it('oidcc-claims-locales: ignores the parameter', async () => {
    await signInSilently(party, browser, { claims_locales: 'se ja' })
  })

  it('oidcc-ensure-request-with-acr-values-succeeds: ignores the parameter, and returns no acr', async () => {
    const { claims } = await signInSilently(party, browser, { acr_values: '1 2' })
    assert.ok(!('acr' in claims))
  })

  it('oidcc-ensure-registered-redirect-uri: shows an error page for a different URI, without a redirect', async () => {
    for (const redirect_uri of [
      `${CALLBACK}/other`,
      `${CALLBACK}?foo=bar`,
      'https://app.example/callback',
    ])
      isErrorPage(await send({ redirect_uri }, browser))
  })

  it('oidcc-ensure-post-request-succeeds: accepts a form submitted from the app’s site', async () => {
    const { path, verifier } = request({})
    const [endpoint = '', query = ''] = path.split('?')
    const response = await fetch(service.url + endpoint, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: new URL(CALLBACK).origin,
        'sec-fetch-site': 'cross-site',
      },
      body: query,
    })
    assert.equal(response.status, 303)
    const code = codeOf(party, await browser.get(response.headers.get('location') ?? ''))
    await redeemCode(party, { code, verifier })
  })

  const requestObject = (redirect_uri: string) =>
    new UnsecuredJWT({
      response_type: 'code',
      client_id: party.app.clientId,
      redirect_uri,
      scope: 'openid',
    }).encode()

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: returns request_not_supported', async () => {
    const visit = await send({ request: requestObject(CALLBACK) }, browser)
    assert.equal(errorOf(party, visit), 'request_not_supported')
  })

  it('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: returns request_uri_not_supported', async () => {
    const visit = await send({ request_uri: 'https://app.example/request.jwt' }, browser)
    assert.equal(errorOf(party, visit), 'request_uri_not_supported')
  })

  it('oidcc-ensure-request-object-with-redirect-uri: uses the redirect_uri of the query', async () => {
    isErrorPage(
      await send({ request: requestObject(CALLBACK), redirect_uri: `${CALLBACK}/other` }, browser),
    )
    const visit = await send({ request: requestObject(`${CALLBACK}/other`) }, browser)
    assert.equal(errorOf(party, visit), 'request_not_supported')
  })

  it('oidcc-idtoken-unsigned: never returns an unsigned ID token', async () => {
    await signInSilently(party, browser, { id_token_signed_response_alg: 'none' })
  })
})
