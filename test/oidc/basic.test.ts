import { decodeProtectedHeader } from 'jose'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  authorizationRequest,
  createClient,
  createUser,
  completeFlow,
  postToProvider,
  signedInBrowser,
  fetchUserinfo,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, PlainBrowser } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import type { TestService } from '#test/service.ts'
import { shareService } from '#test/shared-service.ts'
import {
  requestAs,
  checkIdToken,
  codeOf,
  errorOf,
  exchange,
  signInSilently,
  publishedKeys,
  signInAtApp,
  type RelyingParty,
} from './relying-party.ts'

/**
 * Runs the parts of `oidcc-basic-certification-test-plan` about responses. The parts about requests are in
 * basic-requests.test.ts.
 */
describeOnDatabase('OpenID Connect Basic OP', (engine) => {
  let service: TestService
  let user: TestUser
  let browser: PlainBrowser
  let party: RelyingParty
  let postParty: RelyingParty
  let publicParty: RelyingParty
  before(async () => {
    service = await shareService(engine)
    user = await createUser(service)
    await service.db
      .updateTable('accounts')
      .set({ nickname: 'Nick', picture: 'https://pictures.example/reader.png' })
      .where('id', '=', user.id)
      .execute()
    browser = await signedInBrowser(service, user)
    party = { service, app: await createClient(service), authentication: 'client_secret_basic' }
    const postApp = await createClient(service, { tokenEndpointAuthMethod: 'client_secret_post' })
    postParty = { service, app: postApp, authentication: 'client_secret_post' }
    const publicApp = await createClient(service, {
      clientType: 'public',
      applicationType: 'native',
    })
    publicParty = { service, app: publicApp, authentication: 'none' }
  })
  after(() => service.close())

  const profile = () => ({
    name: user.name,
    nickname: 'Nick',
    preferred_username: 'Nick',
    picture: 'https://pictures.example/reader.png',
  })
  const email = () => ({ email: user.email, email_verified: true })
  const userinfoClaims = async (token: string) => (await fetchUserinfo(service, token)).body
  const isValid = async (token: string) => (await fetchUserinfo(service, token)).status === 200

  describe('authorization code flow', () => {
    it('oidcc-server: leads a new browser through sign-in and consent to a code, tokens and the same sub at userinfo', async () => {
      const fresh = new PlainBrowser(service.url)
      const { tokens, claims, code, verifier } = await signInAtApp(party, fresh, user)
      assert.deepEqual(Object.keys(tokens).toSorted(), [
        'access_token',
        'expires_in',
        'id_token',
        'scope',
        'token_type',
      ])
      assert.deepEqual(Object.keys(claims).toSorted(), [
        'amr',
        'at_hash',
        'aud',
        'auth_time',
        'exp',
        'iat',
        'iss',
        'nonce',
        'sub',
      ])
      assert.deepEqual(claims['amr'], ['pwd'])
      assert.deepEqual(await userinfoClaims(tokens.access_token), { sub: claims.sub })
      for (const secret of [code, verifier])
        assert.ok(!JSON.stringify(service.logged).includes(secret))
    })

    it('oidcc-server-client-secret-post: accepts the client secret in the form, but not in the header', async () => {
      const { tokens, claims } = await signInAtApp(postParty, browser, user)
      assert.deepEqual(await userinfoClaims(tokens.access_token), { sub: claims.sub })
      const { path, verifier } = authorizationRequest(postParty.app, { scope: 'openid' })
      const code = codeOf(postParty, await completeFlow(browser, await browser.get(path), user))
      const refused = await exchange(
        { ...postParty, authentication: 'client_secret_basic' },
        { code, verifier },
      )
      assert.deepEqual([refused.status, refused.body['error']], [401, 'invalid_client'])
    })

    it('oidcc-server: works for a public app without a secret', async () => {
      const { tokens, claims } = await signInAtApp(publicParty, browser, user)
      assert.deepEqual(await userinfoClaims(tokens.access_token), { sub: claims.sub })
    })

    it('oidcc-alternate-happy-flow: accepts parameters and scopes in another order', async () => {
      const { path, verifier } = authorizationRequest(party.app, {
        scope: 'email openid',
        nonce: 'a nonce',
      })
      const [, query = ''] = path.split('?')
      const reversed = query.split('&').toReversed().join('&')
      const visit = await completeFlow(browser, await browser.get(`/oidc/auth?${reversed}`), user)
      const { status, body } = await exchange(party, { code: codeOf(party, visit), verifier })
      assert.equal(status, 200)
      assert.equal((await userinfoClaims(String(body['access_token'])))['email'], user.email)
    })

    it('oidcc-ensure-other-scope-order-succeeds: accepts openid in any position', async () => {
      const { tokens } = await signInAtApp(party, browser, user, { scope: 'email profile openid' })
      assert.deepEqual(Object.keys(await userinfoClaims(tokens.access_token)).toSorted(), [
        'email',
        'email_verified',
        'name',
        'nickname',
        'picture',
        'preferred_username',
        'sub',
        'updated_at',
      ])
    })

    it('oidcc-idtoken-signature: signs ID tokens with a key of the JWKS', async () => {
      const { tokens } = await signInSilently(party, browser)
      const { kid } = decodeProtectedHeader(tokens.id_token ?? '')
      const key = (await publishedKeys(service)).keys.find((published) => published.kid === kid)
      assert.deepEqual([key?.kty, key?.alg, key?.use], ['RSA', 'RS256', 'sig'])
    })

    it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: returns no nonce', async () => {
      const { claims } = await signInSilently(party, browser, { nonce: undefined })
      assert.ok(!('nonce' in claims))
    })

    it('oidcc-ensure-request-with-valid-pkce-succeeds: requires the right verifier', async () => {
      const { path, verifier } = authorizationRequest(party.app, { scope: 'openid' })
      const code = codeOf(party, await browser.get(path))
      const wrong = await exchange(party, { code, verifier: verifier.replace(/^../, '__') })
      assert.deepEqual([wrong.status, wrong.body['error']], [400, 'invalid_grant'])
      await signInSilently(party, browser)
    })
  })

  describe('userinfo', () => {
    /** Creates an opaque token and a JWT, both valid at userinfo. */
    const both = async () => [
      await signInSilently(party, browser, { scope: 'openid' }),
      await signInAtApp(party, browser, user, { scope: 'openid status:read' }),
    ]

    it('oidcc-userinfo-get: accepts the token in the header', async () => {
      for (const { tokens, claims } of await both()) {
        const { status, headers, body } = await fetchUserinfo(service, tokens.access_token)
        assert.deepEqual([status, body], [200, { sub: claims.sub }])
        assert.match(headers.get('content-type') ?? '', /^application\/json/)
      }
    })

    it('oidcc-userinfo-post-header: accepts POST with the token in the header', async () => {
      for (const { tokens, claims } of await both()) {
        const authorization = `Bearer ${tokens.access_token}`
        const { status, body } = await postToProvider(
          `${service.url}/oidc/me`,
          {},
          { authorization },
        )
        assert.deepEqual([status, body], [200, { sub: claims.sub }])
        const bare = await fetch(`${service.url}/oidc/me`, {
          method: 'POST',
          headers: { authorization },
        })
        assert.equal(bare.status, 200)
      }
    })

    it('oidcc-userinfo-post-body: accepts POST with the token in the form', async () => {
      for (const { tokens, claims } of await both()) {
        const { access_token } = tokens
        const { status, body } = await postToProvider(`${service.url}/oidc/me`, { access_token })
        assert.deepEqual([status, body], [200, { sub: claims.sub }])
      }
    })
  })

  describe('scopes', () => {
    it('oidcc-scope-profile: returns the profile claims in the ID token and at userinfo', async () => {
      const { tokens, claims } = await signInAtApp(party, browser, user, {
        scope: 'openid profile',
      })
      const { updated_at, ...others } = await userinfoClaims(tokens.access_token)
      assert.ok(Number.isInteger(updated_at))
      assert.deepEqual(others, { sub: claims.sub, ...profile() })
      const { aud, exp, iat, iss, nonce, auth_time, amr, at_hash, ...carried } = claims
      assert.deepEqual(carried, { ...others, updated_at })
      assert.ok(aud && exp && iat && iss && nonce && auth_time && amr && at_hash)
    })

    it('oidcc-scope-email: returns the email claims, and no profile claims', async () => {
      const { tokens, claims } = await signInAtApp(party, browser, user, { scope: 'openid email' })
      assert.deepEqual(await userinfoClaims(tokens.access_token), { sub: claims.sub, ...email() })
      assert.equal(claims['email'], user.email)
      assert.equal(claims['email_verified'], true)
      assert.equal(claims['name'], undefined)
    })

    for (const scope of ['address', 'phone'])
      it(`oidcc-scope-${scope}: returns invalid_scope, because no app can hold the scope`, async () => {
        const visit = await browser.get(
          authorizationRequest(party.app, { scope: `openid ${scope}` }).path,
        )
        assert.equal(errorOf(party, visit), 'invalid_scope')
      })

    it('oidcc-scope-all: refuses address and phone, and grants all others', async () => {
      const scope = 'openid profile email address phone'
      const visit = await browser.get(authorizationRequest(party.app, { scope }).path)
      assert.equal(errorOf(party, visit), 'invalid_scope')
      const { tokens, claims } = await signInAtApp(party, browser, user, {
        scope: 'openid profile email',
      })
      const { updated_at, ...others } = await userinfoClaims(tokens.access_token)
      assert.ok(Number.isInteger(updated_at))
      assert.deepEqual(others, { sub: claims.sub, ...profile(), ...email() })
    })

    it('oidcc-claims-essential: ignores the unsupported claims parameter', async () => {
      const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
      const { tokens } = await signInSilently(party, browser, { claims })
      assert.deepEqual(Object.keys(await userinfoClaims(tokens.access_token)), ['sub'])
      const named = await signInAtApp(party, browser, user, { claims, scope: 'openid profile' })
      assert.equal((await userinfoClaims(named.tokens.access_token))['name'], user.name)
    })
  })

  describe('codes and refresh tokens', () => {
    it('oidcc-codereuse: accepts a code once, and revokes its tokens when the code is reused', async () => {
      for (const scope of ['openid', 'openid status:read']) {
        const { code, verifier, tokens } = await signInAtApp(party, browser, user, { scope })
        assert.ok(await isValid(tokens.access_token))
        const { status, body } = await exchange(party, { code, verifier })
        assert.deepEqual([status, body['error']], [400, 'invalid_grant'])
        await eventually(async () => !(await isValid(tokens.access_token)), 'the end of the token')
      }
    })

    it('oidcc-codereuse-30seconds: revokes the tokens of a code that is reused half a minute later', async () => {
      const { code, verifier, tokens } = await signInAtApp(party, browser, user, {
        scope: 'openid status:read',
      })
      await service.db
        .updateTable('oidc_records')
        .set({ consumed_at: new Date(Date.now() - 30_000) })
        .where('model', '=', 'AuthorizationCode')
        .where('client_id', '=', party.app.clientId)
        .where('consumed_at', 'is not', null)
        .execute()
      const { status, body } = await exchange(party, { code, verifier })
      assert.deepEqual([status, body['error']], [400, 'invalid_grant'])
      await eventually(async () => !(await isValid(tokens.access_token)), 'the end of the token')
    })

    it('oidcc-refresh-token: returns new tokens for the same account and sign-in, to the same app only', async () => {
      const scope = 'openid profile offline_access'
      const parameters = { scope, prompt: 'consent', max_age: '10000' }
      for (const refreshing of [party, postParty, publicParty]) {
        const { tokens, claims } = await signInAtApp(refreshing, browser, user, parameters)
        const { refresh_token = '' } = tokens
        assert.match(refresh_token, /^[\x20-\x7e]{22,}$/)
        const form = { grant_type: 'refresh_token', refresh_token }
        const other = refreshing === party ? postParty : party
        const foreign = await requestAs(other, form)
        assert.deepEqual([foreign.status, foreign.body['error']], [400, 'invalid_grant'])
        const { status, body } = await requestAs(refreshing, form)
        assert.equal(status, 200, JSON.stringify(body))
        // as: the type of the first response
        const renewed = body as typeof tokens
        assert.notEqual(renewed.access_token, tokens.access_token)
        assert.notEqual(renewed.refresh_token, refresh_token)
        const repeated = await checkIdToken(refreshing, renewed, claims['nonce'] as string)
        assert.ok((repeated.iat ?? 0) >= (claims.iat ?? 1))
        assert.deepEqual([repeated.sub, repeated['auth_time']], [claims.sub, claims['auth_time']])
        assert.equal((await userinfoClaims(renewed.access_token))['name'], user.name)
      }
    })
  })
})
