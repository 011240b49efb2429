import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationResponse,
  authorizationRequest,
  authorize,
  basicAuthorization,
  CALLBACK,
  challengeOf,
  createClient,
  createUser,
  completeFlow,
  postToProvider,
  redeem,
  sendTokenRequest,
  type ProviderResponse,
  type TestUser,
} from '#test/authorization.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { PlainBrowser } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

const OTHER_URI = 'https://app.example.org/oauth/callback'

describeOnDatabase('a code from a tampered request', (engine) => {
  let service: TestService
  let app: TestApp
  let publicApp: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service, { redirectUris: [CALLBACK, OTHER_URI] })
    publicApp = await createClient(service, { clientType: 'public', redirectUris: [OTHER_URI] })
    user = await createUser(service)
  })
  after(() => service.close())

  const isRefused = ({ status, body }: ProviderResponse, error: string, because = error) =>
    assert.deepEqual(
      [status, body['error'], body['access_token']],
      [400, error, undefined],
      because,
    )
  const push = (parameters: Record<string, string | undefined> = {}) => {
    const { path, verifier } = authorizationRequest(app, parameters)
    const form = Object.fromEntries(new URLSearchParams(path.slice(path.indexOf('?') + 1)))
    return postToProvider(`${service.url}/oidc/request`, form, basicAuthorization(app)).then(
      (response) => ({ ...response, verifier }),
    )
  }

  it('is not issued without a valid S256 challenge, for any kind of app', async () => {
    const challenge = challengeOf('x')
    const weakChallenges: Record<string, string | undefined>[] = [
      { code_challenge: undefined, code_challenge_method: undefined },
      { code_challenge: undefined },
      { code_challenge: '' },
      { code_challenge_method: undefined },
      { code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { code_challenge_method: 's256' },
      { code_challenge_method: 'S256 plain' },
      { code_challenge: challenge.slice(0, 42) },
      { code_challenge: `${challenge}=` },
      { code_challenge: `${challenge.slice(0, 42)}+` },
      { code_challenge: challenge.repeat(100) },
    ]
    for (const parameters of weakChallenges) {
      const { path } = authorizationRequest(app, parameters)
      const response = authorizationResponse(await new PlainBrowser(service.url).get(path))
      assert.equal(response.get('error'), 'invalid_request', JSON.stringify(parameters))
      assert.equal(response.get('code'), null)
      const { path: ofPublic } = authorizationRequest(publicApp, {
        redirect_uri: OTHER_URI,
        ...parameters,
      })
      assert.equal(
        authorizationResponse(await new PlainBrowser(service.url).get(ofPublic)).get('error'),
        'invalid_request',
      )
      const { status, body } = await push(parameters)
      assert.deepEqual(
        [status, body['error']],
        [400, 'invalid_request'],
        JSON.stringify(parameters),
      )
    }
  })

  it('keeps the challenge of the pushed request, whatever the browser adds', async () => {
    const { body, verifier } = await push()
    const query = new URLSearchParams({
      client_id: app.clientId,
      request_uri: String(body['request_uri']),
      code_challenge: challengeOf('attacker'.repeat(8)),
      code_challenge_method: 'plain',
      scope: 'openid status:write collection:write',
      state: 'theirs',
    })
    const browser = new PlainBrowser(service.url)
    const response = authorizationResponse(
      await completeFlow(browser, await browser.get(`/oidc/auth?${query.toString()}`), user),
    )
    assert.equal(response.get('state'), 'a state')
    const code = response.get('code') ?? ''
    assert.equal((await redeem(service, app, code, 'attacker'.repeat(8))).status, 400)
    const { status, body: tokens } = await redeem(service, app, code, verifier)
    assert.equal(status, 200)
    assert.deepEqual(String(tokens['scope']).split(' ').toSorted(), ['openid', 'status:write'])
  })

  it('requires its own complete verifier', async () => {
    const { code, verifier } = await authorize(service, { app, user })
    const wrong = {
      invalid_grant: [
        '',
        challengeOf(verifier),
        `${verifier}A`,
        verifier.toLowerCase() === verifier ? verifier.toUpperCase() : verifier.toLowerCase(),
        'A'.repeat(43),
      ],
      // Outside the format of RFC 7636.
      invalid_request: [
        verifier.slice(0, 42),
        `${verifier} `,
        `${verifier}\0`,
        'A'.repeat(129),
        'A'.repeat(50_000),
        'é'.repeat(43),
      ],
    }
    for (const [error, verifiers] of Object.entries(wrong))
      for (const code_verifier of verifiers)
        isRefused(
          await redeem(service, app, code, code_verifier),
          error,
          code_verifier.slice(0, 60),
        )
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
    isRefused(await sendTokenRequest(service, app, form), 'invalid_grant')
    const twice = await fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { ...basicAuthorization(app), 'content-type': 'application/x-www-form-urlencoded' },
      body: `${new URLSearchParams({ ...form, code_verifier: verifier }).toString()}&code_verifier=${'A'.repeat(43)}`,
    })
    assert.equal(twice.status, 400, 'twice')
    assert.equal((await redeem(service, app, code, verifier)).status, 200, 'its own is still good')
  })

  it('is rejected with a different redirect_uri, even a registered one, or if it is damaged', async () => {
    const { code, verifier } = await authorize(service, { app, user })
    for (const redirectUri of [
      OTHER_URI,
      `${CALLBACK}/`,
      CALLBACK.toUpperCase(),
      `${CALLBACK}?`,
      'http://localhost:14792/callback',
    ])
      isRefused(
        await redeem(service, app, code, verifier, redirectUri),
        'invalid_grant',
        redirectUri,
      )
    const form = { grant_type: 'authorization_code', code_verifier: verifier }
    isRefused(await sendTokenRequest(service, app, { ...form, code }), 'invalid_request')
    isRefused(await redeem(service, app, code, verifier, ''), 'invalid_request')
    isRefused(
      await sendTokenRequest(service, app, { ...form, redirect_uri: CALLBACK }),
      'invalid_request',
    )
    for (const damaged of [`${code}x`, 'a\0b'])
      isRefused(await redeem(service, app, damaged, verifier), 'invalid_grant')
    assert.equal((await redeem(service, app, code, verifier)).status, 200, 'its own is still good')
  })

  it('is returned with the exact issuer, like errors', async () => {
    const issuer = `${service.url}/oidc`
    const { answer: response } = await authorize(service, { app, user })
    assert.equal(response.get('iss'), issuer)
    const failures: Record<string, string | undefined>[] = [
      { scope: 'openid developer:apps' },
      { code_challenge: undefined },
      { prompt: 'none' },
      { state: undefined },
      { response_mode: 'form_post' },
      { resource: 'https://evil.example' },
      { iss: 'https://evil.example' },
    ]
    for (const parameters of failures) {
      const { path } = authorizationRequest(app, parameters)
      const visit = await new PlainBrowser(service.url).get(path)
      if (visit.location === undefined) continue
      assert.deepEqual(
        new URL(visit.location).searchParams.getAll('iss'),
        [issuer],
        JSON.stringify(parameters),
      )
    }
    const browser = new PlainBrowser(service.url)
    const page = await browser.get(authorizationRequest(app).path)
    const refused = authorizationResponse(await browser.submit(page, { decision: 'deny' }))
    assert.deepEqual([refused.get('error'), refused.get('iss')], ['access_denied', issuer])
  })

  it('is not issued if any parameter contains a NUL', async () => {
    for (const name of ['code_challenge', 'state', 'nonce', 'login_hint']) {
      const { path } = authorizationRequest(app, { [name]: `${challengeOf('x').slice(0, 42)}\0` })
      const { status, location } = await new PlainBrowser(service.url).get(path)
      assert.deepEqual([status, location], [400, undefined], name)
      const pushed = await push({ [name]: '\0' })
      assert.deepEqual([pushed.status, pushed.body['error']], [400, 'invalid_request'], name)
    }
  })

  it('is returned with the unchanged state, which cannot add parameters', async () => {
    const states = [
      'a&code=stolen',
      'é ü 漢',
      '%26code%3Dx',
      '"><script>',
      '\r\nx: y',
      'a'.repeat(4_000),
      '#code=x',
      '+ +',
    ]
    for (const state of states) {
      const { path } = authorizationRequest(app, { state, prompt: 'none' })
      const { location = '' } = await new PlainBrowser(service.url).get(path)
      const url = new URL(location)
      assert.deepEqual(url.searchParams.getAll('state'), [state])
      assert.equal(url.searchParams.get('code'), null)
      assert.equal(url.hash, '')
    }
  })
})

describeOnDatabase('a stolen code', (engine) => {
  let service: TestService
  let app: TestApp
  let foreign: TestApp
  let user: TestUser
  before(async () => {
    service = await shareService(engine)
    app = await createClient(service)
    foreign = await createClient(service)
    user = await createUser(service)
  })
  after(() => service.close())

  it('is rejected for any other client, however that client presents it', async () => {
    const { code, verifier } = await authorize(service, { app, user })
    const form = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    }
    assert.equal((await redeem(service, foreign, code, verifier)).body['error'], 'invalid_grant')
    const impersonations: { form: Record<string, string>; headers: Record<string, string> }[] = [
      { form: { ...form, client_id: app.clientId }, headers: basicAuthorization(foreign) },
      { form: { ...form, client_id: app.clientId }, headers: {} },
      { form: { ...form, client_id: app.clientId, client_secret: '' }, headers: {} },
      { form: { ...form, client_id: app.clientId, client_secret: foreign.secret }, headers: {} },
      { form, headers: basicAuthorization({ clientId: app.clientId, secret: '' }) },
      { form, headers: basicAuthorization({ clientId: app.clientId, secret: foreign.secret }) },
      { form: { ...form, client_assertion: 'x', client_assertion_type: 'x' }, headers: {} },
    ]
    for (const { form, headers } of impersonations) {
      const { status, body } = await postToProvider(`${service.url}/oidc/token`, form, headers)
      assert.ok(status === 400 || status === 401, JSON.stringify(form))
      assert.equal(body['access_token'], undefined)
    }
  })
})
