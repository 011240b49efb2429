import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import {
  authorize,
  basicAuthorization,
  CALLBACK,
  catalogStatus,
  createClient,
  createUser,
  completeFlow,
  obtainTokens,
  openidClient,
  postToProvider,
  redeem,
  refresh,
  signedInBrowser,
  fetchUserinfo,
  type ProviderResponse,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, type PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestApp, TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import { recordAdapter } from '../provider/storage/records.ts'

/** Scopes of a catalog token that can be refreshed. */
const OFFLINE = { scope: 'openid offline_access catalog:read', prompt: 'consent' }

describeOnDatabase('an authorization code', (engine) => {
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

  const issueCode = (client = app, parameters: Record<string, string> = OFFLINE) =>
    authorize(service, { app: client, user, browser, ...parameters })
  const isRefused = (
    { status, body }: ProviderResponse,
    error: string,
    expected = 400,
    because = error,
  ) => {
    assert.deepEqual([status, body['error']], [expected, error], because)
    assert.ok(!('access_token' in body) && !('refresh_token' in body) && !('id_token' in body))
  }

  it('is exchanged for the tokens of §5.4', async () => {
    const { code, verifier } = await issueCode()
    const { status, headers, body } = await redeem(service, app, code, verifier)
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'no-store')
    const { access_token, id_token, refresh_token, ...rest } = body
    assert.ok(access_token && id_token && refresh_token)
    assert.deepEqual(rest, {
      expires_in: 3600,
      token_type: 'Bearer',
      scope: 'openid offline_access catalog:read',
    })
  })

  it('works with openid-client, using Basic, post or a public app', async () => {
    const posting = await createClient(service, { tokenEndpointAuthMethod: 'client_secret_post' })
    const publicApp = await createClient(service, { clientType: 'public' })
    for (const config of [
      await openidClient(service, app),
      await openidClient(service, posting, openid.ClientSecretPost(posting.secret)),
      await openidClient(service, publicApp),
    ]) {
      const pkceCodeVerifier = openid.randomPKCECodeVerifier()
      const expectedState = openid.randomState()
      const expectedNonce = openid.randomNonce()
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: CALLBACK,
        ...OFFLINE,
        state: expectedState,
        nonce: expectedNonce,
        code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      })
      const { location = '' } = await completeFlow(browser, await browser.get(url.href), user)
      const tokens = await openid.authorizationCodeGrant(config, new URL(location), {
        pkceCodeVerifier,
        expectedState,
        expectedNonce,
        idTokenExpected: true,
      })
      const subject = tokens.claims()?.sub ?? ''
      assert.equal(subject, String(user.id))
      assert.equal((await openid.fetchUserInfo(config, tokens.access_token, subject)).sub, subject)
      const repeated = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
      assert.equal(await catalogStatus(service, repeated.access_token), '200')
    }
  })

  it('works with oauth4webapi, even without openid', async () => {
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(`${service.url}/oidc`)
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, insecure),
    )
    const client = { client_id: app.clientId }
    const {
      code,
      verifier,
      answer: authorization,
    } = await issueCode(app, { scope: 'status:write', state: 'x' })
    assert.ok(code)
    const parameters = oauth.validateAuthResponse(server, client, authorization, 'x')
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(app.secret),
      parameters,
      CALLBACK,
      verifier,
      insecure,
    )
    const { access_token, scope } = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      response,
    )
    assert.equal(scope, 'status:write')
    const request = new Request(service.url, {
      headers: { authorization: `Bearer ${access_token}` },
    })
    const claims = await oauth.validateJwtAccessToken(
      server,
      request,
      `${service.url}/open`,
      insecure,
    )
    assert.deepEqual([claims.sub, claims.client_id], [String(user.id), app.clientId])
  })

  it('is rejected if the client authenticates with a method other than the registered one', async () => {
    const posting = await createClient(service, { tokenEndpointAuthMethod: 'client_secret_post' })
    const publicApp = await createClient(service, { clientType: 'public' })
    const idOf = ({ clientId }: TestApp) => ({ client_id: clientId })
    const secretOf = (client: TestApp) => ({ ...idOf(client), client_secret: client.secret })
    type Attempt = [form: Record<string, string>, headers: Record<string, string>, error?: string]
    const attempts: [TestApp, Attempt[]][] = [
      [
        app,
        [
          [secretOf(app), {}, 'invalid_client'],
          [idOf(app), {}, 'invalid_client'],
          [{}, {}, 'invalid_request'],
          [{}, basicAuthorization({ ...app, secret: 'wrong' }), 'invalid_client'],
          [secretOf(app), basicAuthorization(app), 'invalid_request'],
          [idOf(app), basicAuthorization(app)],
        ],
      ],
      [
        posting,
        [
          [{}, basicAuthorization(posting), 'invalid_client'],
          [secretOf(posting), {}],
        ],
      ],
      [
        publicApp,
        [
          [{ ...idOf(publicApp), client_secret: 'any' }, {}, 'invalid_client'],
          [{}, basicAuthorization({ ...publicApp, secret: 'any' }), 'invalid_client'],
          [idOf(publicApp), {}],
        ],
      ],
    ]
    for (const [client, ofClient] of attempts) {
      const { code, verifier } = await issueCode(client, {})
      const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK }
      for (const [fields, headers, error] of ofClient) {
        const response = await postToProvider(
          `${service.url}/oidc/token`,
          { ...form, code_verifier: verifier, ...fields },
          headers,
        )
        const because = JSON.stringify([fields, headers])
        if (error === undefined) assert.equal(response.status, 200, because)
        else isRefused(response, error, error === 'invalid_client' ? 401 : 400, because)
      }
    }
  })

  it('is rejected for another client', async () => {
    const attacker = await createClient(service)
    const { code, verifier } = await issueCode()
    isRefused(await redeem(service, attacker, code, verifier), 'invalid_grant')
    assert.equal((await redeem(service, app, code, verifier)).status, 200)
  })

  it('expires after 60 seconds', async () => {
    const { code, verifier } = await issueCode()
    const before = new Date(Date.now() + 61_000)
    const { expires_at } = await service.db
      .selectFrom('oidc_records')
      .select('expires_at')
      .where('model', '=', 'AuthorizationCode')
      .where('client_id', '=', app.clientId)
      .where('consumed_at', 'is', null)
      .orderBy('expires_at', 'desc')
      .executeTakeFirstOrThrow()
    assert.ok(expires_at < before && expires_at.getTime() > Date.now() + 30_000)
    await service.db
      .updateTable('oidc_records')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('model', '=', 'AuthorizationCode')
      .execute()
    isRefused(await redeem(service, app, code, verifier), 'invalid_grant')
  })

  /** Asserts that the grant, its refresh token and its access token are gone. */
  async function assertRevoked({ access_token, refresh_token }: Record<string, unknown>) {
    isRefused(await refresh(service, app, String(refresh_token)), 'invalid_grant')
    await eventually(
      async () => (await catalogStatus(service, String(access_token))) === '401 AUTH_TOKEN_INVALID',
      'the end of the access token',
    )
    assert.equal((await fetchUserinfo(service, String(access_token))).status, 401)
  }

  it('is revoked with all tokens from its first use when it is used twice', async () => {
    const { code, verifier, ...tokens } = await obtainTokens(service, {
      app,
      user,
      browser,
      ...OFFLINE,
    })
    assert.equal(await catalogStatus(service, tokens.access_token), '200')
    isRefused(await redeem(service, app, code, verifier), 'invalid_grant')
    await assertRevoked(tokens)
  })

  it('ends the grant when used twice, even long after the code expired or with a wrong verifier', async () => {
    for (const late of [true, false]) {
      const { code, verifier, ...tokens } = await obtainTokens(service, {
        app,
        user,
        browser,
        ...OFFLINE,
      })
      const { payload } = await service.db
        .selectFrom('oidc_records')
        .select('payload')
        .where('model', '=', 'AuthorizationCode')
        .where('consumed_at', 'is not', null)
        .orderBy('consumed_at', 'desc')
        .executeTakeFirstOrThrow()
      // as: the provider stored this payload
      const { exp } = JSON.parse(payload) as { exp: number }
      if (late)
        await service.db
          .updateTable('oidc_records')
          .set({ payload: payload.replace(`"exp":${exp}`, `"exp":${exp - 3_600}`) })
          .where('payload', '=', payload)
          .execute()
      isRefused(await redeem(service, app, code, late ? verifier : 'x'.repeat(43)), 'invalid_grant')
      await assertRevoked(tokens)
    }
  })

  it('is revoked with all refreshed tokens when it is used twice', async () => {
    const { code, verifier, refresh_token } = await obtainTokens(service, {
      app,
      user,
      browser,
      ...OFFLINE,
    })
    const { body } = await refresh(service, app, refresh_token ?? '')
    isRefused(await redeem(service, app, code, verifier), 'invalid_grant')
    await assertRevoked(body)
  })

  it('yields tokens for only one of five concurrent uses, and these are then revoked', async () => {
    const { code, verifier } = await issueCode()
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => redeem(service, app, code, verifier)),
    )
    const successes = responses.filter(({ status }) => status === 200)
    assert.equal(successes.length, 1, JSON.stringify(responses.map(({ body }) => body)))
    for (const response of responses.filter(({ status }) => status !== 200))
      isRefused(response, 'invalid_grant')
    await assertRevoked(successes[0]?.body ?? {})
  })

  it('is redeemed by one of two concurrent requests, while the other request ends the grant', async () => {
    const { code } = await issueCode()
    const codes = recordAdapter(service.db, 'AuthorizationCode')
    const [first, second] = await Promise.all([codes.find(code), codes.find(code)])
    assert.ok(first && second && !first.consumed && !second.consumed)
    await codes.consume(code)
    await assert.rejects(async () => codes.consume(code), /invalid_grant/)
    const grants = await service.db
      .selectFrom('grants')
      .select('id')
      .where('id', '=', first.grantId ?? '')
      .execute()
    assert.deepEqual(grants, [])
  })

  it('ends only its own grant when used twice', async () => {
    const one = await obtainTokens(service, {
      app,
      user,
      browser: await signedInBrowser(service, user),
      ...OFFLINE,
    })
    const other = await obtainTokens(service, {
      app,
      user,
      browser: await signedInBrowser(service, user),
      ...OFFLINE,
    })
    isRefused(await redeem(service, app, one.code, one.verifier), 'invalid_grant')
    await assertRevoked(one)
    assert.equal(await catalogStatus(service, other.access_token), '200')
    assert.equal((await refresh(service, app, other.refresh_token ?? '')).status, 200)
  })

  it('is rejected once the app is disabled', async () => {
    const victim = await createClient(service)
    const { code, verifier } = await issueCode(victim)
    await service.db
      .updateTable('apps')
      .set({ enabled: false })
      .where('client_id', '=', victim.clientId)
      .execute()
    isRefused(await redeem(service, victim, code, verifier), 'invalid_client', 401)
  })

  it('is stored as a hash, like all bearer credentials', async () => {
    const { code } = await issueCode()
    const { refresh_token = '' } = await obtainTokens(service, { app, user, browser, ...OFFLINE })
    const rows = await service.db.selectFrom('oidc_records').selectAll().execute()
    const sessions = await service.db.selectFrom('sessions').selectAll().execute()
    const stored = JSON.stringify([rows, sessions])
    for (const secret of [code, refresh_token, browser.cookies()['mokuroku-session'] ?? ''])
      assert.ok(secret.length > 20 && !stored.includes(secret), secret)
    const log = JSON.stringify(service.logged)
    for (const secret of [code, refresh_token, app.secret])
      assert.ok(!log.includes(secret), 'in the log')
  })
})
