import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as openid from 'openid-client'
import {
  authorizationResponse,
  authorizationRequest,
  basicAuthorization,
  CALLBACK,
  catalogStatus,
  createClient,
  createUser,
  completeFlow,
  openidClient,
  postToProvider,
  redeem,
  signedInBrowser,
  type TestUser,
} from '#test/authorization.ts'
import { PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'

describeOnDatabase('the endpoints for discovery and pushed authorization requests', (engine) => {
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

  const metadata = async (path: string) => {
    const response = await service.get(path)
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
    // as: the test checks the members
    return (await response.json()) as Record<string, unknown>
  }
  /** Pushes the request of §5.2 (RFC 9126). */
  async function push(parameters: Record<string, string | undefined> = {}, client = app) {
    const { path, verifier } = authorizationRequest(client, parameters)
    const form = Object.fromEntries(new URLSearchParams(path.split('?')[1]))
    const headers: Record<string, string> = client.secret === '' ? {} : basicAuthorization(client)
    return { verifier, ...(await postToProvider(`${service.url}/oidc/request`, form, headers)) }
  }
  const open = (request_uri: unknown, from = browser, { clientId } = app) =>
    from.get(
      `/oidc/auth?${new URLSearchParams({ client_id: clientId, request_uri: String(request_uri) }).toString()}`,
    )

  it('return the same document at the paths of OpenID Connect and RFC 8414', async () => {
    const document = await metadata('/oidc/.well-known/openid-configuration')
    assert.deepEqual(await metadata('/.well-known/oauth-authorization-server/oidc'), document)
    const server = await openid.discovery(
      new URL(`${service.url}/oidc`),
      app.clientId,
      {},
      openid.None(),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    )
    assert.equal(server.serverMetadata().issuer, `${service.url}/oidc`)
  })

  it('use the configured URL on every page, whatever the request says', async () => {
    const impostor = new PlainBrowser(service.url)
    Object.assign(impostor.headers, {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
    })
    const { path, verifier } = authorizationRequest(app)
    const visit = await completeFlow(impostor, await impostor.get(path), user)
    assert.equal(authorizationResponse(visit).get('iss'), `${service.url}/oidc`)
    const { status } = await redeem(
      service,
      app,
      authorizationResponse(visit).get('code') ?? '',
      verifier,
    )
    assert.equal(status, 200)
  })

  it('accept a request pushed by openid-client', async () => {
    const publicApp = await createClient(service, { clientType: 'public' })
    for (const client of [app, publicApp]) {
      const config = await openidClient(service, client)
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const url = await openid.buildAuthorizationUrlWithPAR(config, {
        redirect_uri: CALLBACK,
        scope: 'openid catalog:read',
        state: 'a state',
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      assert.match(url.searchParams.get('request_uri') ?? '', /^urn:ietf:params:oauth:request_uri:/)
      const { location = '' } = await completeFlow(browser, await browser.get(url.href), user)
      const tokens = await openid.authorizationCodeGrant(config, new URL(location), {
        pkceCodeVerifier,
        expectedState: 'a state',
      })
      assert.equal(await catalogStatus(service, tokens.access_token), '200')
    }
  })

  it('accept a pushed request once, from the app that pushed it', async () => {
    const other = await createClient(service)
    const { status, body } = await push()
    assert.equal(status, 201)
    const stolen = await open(body['request_uri'], browser, other)
    assert.ok(stolen.status >= 400 || !authorizationResponse(stolen).has('code'))
    assert.ok(
      authorizationResponse(await completeFlow(browser, await open(body['request_uri']), user)).get(
        'code',
      ),
    )
    const repeated = await open(body['request_uri'])
    assert.deepEqual([repeated.status, repeated.location], [400, undefined])
  })

  it('reject an unknown or expired pushed request with an error page', async () => {
    const { body } = await push()
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('model', '=', 'PushedAuthorizationRequest')
      .execute()
    for (const uri of [
      body['request_uri'],
      'urn:ietf:params:oauth:request_uri:nobody',
      'https://evil.example/request',
      'x\0y',
    ]) {
      const { status, location } = await open(uri)
      assert.deepEqual([status, location], [400, undefined], String(uri))
    }
  })

  it('immediately reject a pushed request that could not succeed', async () => {
    const narrow = await createClient(service, { scopes: ['status:read'] })
    const bad: [Record<string, string | undefined>, string][] = [
      [{ state: undefined }, 'invalid_request'],
      [{ scope: undefined }, 'invalid_scope'],
      [{ scope: 'openid status:write' }, 'invalid_scope'],
      [{ scope: 'nobody:knows' }, 'invalid_scope'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ redirect_uri: `${CALLBACK}/` }, 'invalid_request'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ resource: 'https://other.example' }, 'invalid_target'],
    ]
    for (const [parameters, error] of bad) {
      const { status, body } = await push({ scope: 'openid status:read', ...parameters }, narrow)
      assert.deepEqual([status, body['error']], [400, error], JSON.stringify(parameters))
    }
    const wrongSecret = await push({}, { ...app, secret: narrow.secret })
    assert.deepEqual([wrongSecret.status, wrongSecret.body['error']], [401, 'invalid_client'])
  })

  it('accept a nonce without openid in a pushed request', async () => {
    const { status, body, verifier } = await push({ scope: 'status:read', nonce: 'n' })
    assert.equal(status, 201, JSON.stringify(body))
    const visit = await completeFlow(browser, await open(body['request_uri']), user)
    const tokens = await redeem(
      service,
      app,
      authorizationResponse(visit).get('code') ?? '',
      verifier,
    )
    assert.equal(tokens.body['scope'], 'status:read')
  })
})
