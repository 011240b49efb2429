import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  CALLBACK,
  createClient,
  createUser,
  completeFlow,
  redeem,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

type Parameters = Record<string, string | undefined>

describeOnDatabase('an authorization request', (engine) => {
  let service: TestService
  let app: TestApp
  let user: TestUser
  let browser: PlainBrowser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    user = await createUser(service)
    browser = await signedInBrowser(service, user)
  })
  after(() => service.close())

  const send = (parameters: Parameters, client = app) =>
    new PlainBrowser(service.url).get(authorizationRequest(client, parameters).path)

  /** Returns the parameters of the redirect to the app's exact redirect URI (§5.3). */
  function redirectParameters({ status, location = '' }: Visit, redirectUri = CALLBACK) {
    assert.equal(status, 303)
    const separator = redirectUri.includes('?') ? '&' : '?'
    assert.ok(location.startsWith(redirectUri + separator), location)
    const {
      error_description,
      scope: _scope,
      ...response
    } = Object.fromEntries(new URLSearchParams(location.slice(redirectUri.length + 1)))
    assert.ok(error_description === undefined || 'error' in response)
    return response
  }
  const refusal = (error: string, state: string | undefined = 'a state') => ({
    error,
    ...(state !== undefined && { state }),
    iss: `${service.url}/oidc`,
  })

  /** Asserts that a page is shown instead of a redirect. */
  function isPage({ status, location, headers, url }: Visit, because: string) {
    assert.deepEqual([status, location], [400, undefined], because)
    assert.match(headers.get('content-type') ?? '', /^text\/html/, because)
    assert.ok(url.startsWith(service.url), because)
  }

  it('returns a code, the unchanged state and the issuer', async () => {
    const state = 'ünïcode & "quotes" +%20/?#=\u0007'
    const visit = await completeFlow(
      browser,
      await browser.get(authorizationRequest(app, { state }).path),
      user,
    )
    const { code, ...rest } = redirectParameters(visit)
    assert.match(code ?? '', /^[\w-]{43,}$/)
    assert.deepEqual(rest, { state, iss: `${service.url}/oidc` })
  })

  it('is refused by a redirect with error, state and iss if a required parameter is missing or wrong', async () => {
    const bad: [Parameters, string][] = [
      [{ response_type: undefined }, 'invalid_request'],
      [{ response_type: undefined, response_mode: 'fragment' }, 'unsupported_response_mode'],
      [{ response_type: 'something' }, 'unsupported_response_type'],
      [{ scope: undefined }, 'invalid_scope'],
      [{ scope: '' }, 'invalid_scope'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: 's256' }, 'invalid_request'],
      [{ code_challenge: 'short' }, 'invalid_request'],
      [{ code_challenge: `${'x'.repeat(42)}=` }, 'invalid_request'],
      [{ prompt: 'somehow' }, 'invalid_request'],
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ resource: 'https://other.example' }, 'invalid_target'],
      [{ response_mode: 'somehow' }, 'unsupported_response_mode'],
      [{ request: 'x.y.z' }, 'request_not_supported'],
      [{ max_age: '-1' }, 'invalid_request'],
    ]
    for (const [parameters, error] of bad)
      assert.deepEqual(
        redirectParameters(await send(parameters)),
        refusal(error),
        JSON.stringify(parameters),
      )
  })

  it('is refused by a redirect if the state is missing', async () => {
    for (const state of [undefined, ''])
      assert.deepEqual(redirectParameters(await send({ state })), {
        error: 'invalid_request',
        iss: `${service.url}/oidc`,
      })
  })

  it('is refused for every response type other than code, with no token in the URL', async () => {
    for (const response_type of ['token', 'id_token', 'code id_token', 'code token', 'none']) {
      for (const response_mode of [undefined, 'query', 'fragment', 'form_post', 'somehow']) {
        const visit = await send({ response_type, response_mode, nonce: 'n' })
        // Checks the query, because servers do not see the fragment.
        assert.deepEqual(
          redirectParameters(visit),
          refusal('unsupported_response_type'),
          `${response_type} ${response_mode}`,
        )
      }
    }
  })

  it('returns no code in a response mode other than query', async () => {
    const inQuery = await browser.get(authorizationRequest(app, { response_mode: 'query' }).path)
    assert.ok(redirectParameters(await completeFlow(browser, inQuery, user))['code'])
    for (const response_mode of ['fragment', 'form_post', 'web_message', 'somehow']) {
      const response = redirectParameters(
        await browser.get(authorizationRequest(app, { response_mode }).path),
      )
      const { error, state, code } = response
      assert.deepEqual(
        { error, state, code },
        { error: 'unsupported_response_mode', state: 'a state', code: undefined },
      )
    }
  })

  it('is refused with invalid_scope for a scope that the app does not have', async () => {
    const narrow = await createClient(service, { scopes: ['status:read'] })
    const bare = await createClient(service, { scopes: [] })
    for (const scope of [
      'openid status:write',
      'status:write',
      'openid catalog:read',
      'openid status:read nobody:knows',
      'openid catalog:sync',
      'openid OPENID',
      'openid\u00a0status:read',
      'openid developer:apps',
    ])
      for (const client of [narrow, bare])
        assert.deepEqual(
          redirectParameters(await send({ scope }, client)),
          refusal('invalid_scope'),
          scope,
        )
    assert.deepEqual(
      redirectParameters(await send({ scope: 'openid status:read' }, bare)),
      refusal('invalid_scope'),
    )
    const checked = await createClient(service, { scopes: ['developer:apps'], accountId: user.id })
    assert.deepEqual(
      redirectParameters(await send({ scope: 'openid developer:apps' }, checked)),
      refusal('invalid_scope'),
      'a user’s app may not manage apps, even if it is checked',
    )
  })

  it('is accepted for a scope that one of the app’s scopes includes', async () => {
    const writer = await createClient(service, { scopes: ['status:write', 'catalog:full'] })
    const { path } = authorizationRequest(writer, { scope: 'status:read catalog:read' })
    assert.ok(
      redirectParameters(await completeFlow(browser, await browser.get(path), user))['code'],
    )
  })

  it('returns access_denied if the user refuses', async () => {
    const requestingApp = await createClient(service)
    const consent = await browser.get(authorizationRequest(requestingApp).path)
    const denied = await browser.submit(consent, { decision: 'deny' })
    assert.deepEqual(redirectParameters(denied), refusal('access_denied'))
    const signIn = await new PlainBrowser(service.url).get(authorizationRequest(requestingApp).path)
    assert.equal(signIn.status, 200)
    assert.match(signIn.text, /name="password"/)
  })

  it('returns access_denied if the user cancels on the sign-in page', async () => {
    const guest = new PlainBrowser(service.url)
    const signIn = await guest.get(authorizationRequest(app).path)
    const cancel = signIn.forms.find(({ buttons }) => buttons.some(({ value }) => value === 'deny'))
    assert.ok(cancel)
    assert.deepEqual(
      redirectParameters(await guest.submit(signIn, { decision: 'deny' }, cancel)),
      refusal('access_denied'),
    )
  })

  it('shows an error page and never redirects for an unknown, disabled or missing app', async () => {
    const disabled = await createClient(service)
    await service.db
      .updateTable('apps')
      .set({ enabled: false })
      .where('client_id', '=', disabled.clientId)
      .execute()
    const without = await service.createApp()
    for (const client_id of [
      undefined,
      '',
      'mk_nobody',
      'a\0b',
      'x'.repeat(300),
      "' or 1=1",
      disabled.clientId,
    ])
      isPage(await send({ client_id }), JSON.stringify(client_id))
    isPage(await send({}, without), 'an app without a redirect URI')
    const doubled = `${authorizationRequest(app).path}&client_id=${app.clientId}`
    isPage(await new PlainBrowser(service.url).get(doubled), 'client_id twice')
  })

  it('is refused on a page in the user’s language, with protocol details for developers', async () => {
    const { path } = authorizationRequest(app, { redirect_uri: undefined })
    const doubled = `${authorizationRequest(app).path}&client_id=${app.clientId}`
    const unknown = `/oidc/auth?client_id=${app.clientId}&request_uri=${encodeURIComponent('urn:nothing')}`
    const assertErrorPage = async (
      target: string,
      language: string,
      message: RegExp,
      technical: RegExp,
    ) => {
      const reading = new PlainBrowser(service.url)
      reading.headers['accept-language'] = language
      const { text } = await reading.get(target)
      const [, shown = ''] =
        /<div class="notice error" role="alert"[^>]*><p>([^<]*)<\/p>/.exec(text) ?? []
      assert.match(shown, message, target)
      if (language !== 'en') assert.doesNotMatch(shown, /parameter|request/, target)
      assert.match(/<code lang="en">([^<]*)<\/code>/.exec(text)?.[1] ?? '', technical, target)
    }
    await assertErrorPage(
      path,
      'ja',
      /アプリ/,
      /^invalid_request: missing required parameter.*redirect_uri/,
    )
    await assertErrorPage(path, 'zh', /无法处理/, /^invalid_request: missing/)
    await assertErrorPage(path, 'en', /can’t process/, /^invalid_request: missing/)
    await assertErrorPage(doubled, 'ja', /アプリ/, /client_id.* provided twice/)
    await assertErrorPage(unknown, 'zh', /无法处理/, /^[a-z_]+/)
    const pushed = `/oidc/auth?client_id=${app.clientId}&request_uri=urn:ietf:params:oauth:request_uri:gone`
    await assertErrorPage(pushed, 'en', /has expired/, /^invalid_request_uri/)
    const { text } = await new PlainBrowser(service.url).get('/oidc/auth/gone-long-ago')
    assert.match(text, /<p>This link has expired/)
    assert.doesNotMatch(text, /<code lang="en">/)
  })

  it('shows a bad redirect_uri as text', async () => {
    const { text } = await send({
      redirect_uri: 'https://evil.example/"><script>alert(1)</script>&amp;',
    })
    assert.ok(!text.includes('<script>alert'))
    assert.ok(
      text.includes(
        'https://evil.example/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;',
      ),
    )
  })

  it('redirects to each kind of redirect URI exactly as registered', async () => {
    for (const redirectUri of [
      'https://app.example/callback?tenant=1',
      'http://localhost:3000/',
      'http://[::1]:8080/cb',
      'com.example.app:/oauth2redirect',
      'my-app://cb',
      'myapp://auth/cb',
    ]) {
      const native = await createClient(service, {
        clientType: 'public',
        applicationType: 'native',
        redirectUris: [redirectUri],
      })
      const { path, verifier } = authorizationRequest(native, { redirect_uri: redirectUri })
      const { code = '', state } = redirectParameters(
        await completeFlow(browser, await browser.get(path), user),
        redirectUri,
      )
      assert.equal(state, 'a state')
      assert.equal(
        (await redeem(service, native, code, verifier, redirectUri)).status,
        200,
        redirectUri,
      )
    }
  })

  it('never causes a server error, even with text that the database rejects', async () => {
    for (const name of [
      'state',
      'nonce',
      'scope',
      'login_hint',
      'ui_locales',
      'client_id',
      'claims',
      'prompt',
    ]) {
      const { status } = await send({ [name]: 'a\0b\ud800' })
      assert.ok(status < 500, `${name}: ${status}`)
    }
    assert.deepEqual(
      service.logged.filter(({ level }) => Number(level) >= 50),
      [],
    )
  })
})
