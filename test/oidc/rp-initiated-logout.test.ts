import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT, type JWTPayload } from 'jose'
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import {
  authorizationRequest,
  CALLBACK,
  createClient,
  createUser,
  signedInBrowser,
  fetchUserinfo,
  type TestUser,
} from '#test/authorization.ts'
import { eventually, type PlainBrowser, type Visit } from '#test/browser.ts'
import { describeOnDatabase } from '#test/databases.ts'
import { startService, type TestService } from '#test/service.ts'
import {
  readDiscovery,
  errorOf,
  publishedKeys,
  signInAtApp,
  type RelyingParty,
} from './relying-party.ts'

const HOMEPAGE = 'https://app.example/goodbye'

type SignedIn = {
  browser: PlainBrowser
  id_token_hint: string
  access_token: string
  claims: JWTPayload
}

/** Runs `oidcc-rp-initiated-logout-certification-test-plan`, with callback URLs and the homepage registered. */
describeOnDatabase('OpenID Connect RP-Initiated Logout', (engine) => {
  let service: TestService
  let user: TestUser
  let party: RelyingParty
  let endpoint: string
  before(async () => {
    service = await startService({ engine })
    user = await createUser(service)
    const app = await createClient(service, { clientUri: HOMEPAGE })
    party = { service, app, authentication: 'client_secret_basic' }
    endpoint = String((await readDiscovery(service))['end_session_endpoint'])
  })
  after(() => service.close())

  /** Runs the authorization flow with which every module begins. */
  async function begin(): Promise<SignedIn> {
    const browser = await signedInBrowser(service, user)
    const { tokens, claims } = await signInAtApp(party, browser, user, {
      scope: 'openid status:read',
    })
    const { access_token, id_token = '' } = tokens
    return { browser, id_token_hint: id_token, access_token, claims }
  }

  const end = ({ browser }: SignedIn, parameters: Record<string, string>) =>
    browser.get(`${endpoint}?${new URLSearchParams(parameters).toString()}`)

  /** Confirms the sign-out page. */
  async function signOut({ browser }: SignedIn, page: Visit): Promise<Visit> {
    assert.deepEqual([page.status, page.location], [200, undefined])
    return browser.submit(page, { logout: 'yes' })
  }

  const silently = async ({ browser }: SignedIn) =>
    browser.get(authorizationRequest(party.app, { scope: 'openid', prompt: 'none' }).path)

  async function isSignedOut(signedIn: SignedIn) {
    assert.equal(errorOf(party, await silently(signedIn)), 'login_required')
  }

  async function isSignedIn(signedIn: SignedIn) {
    assert.match((await silently(signedIn)).location ?? '', /[?&]code=/)
  }

  function isSignedOutPage({ status, location, url, forms }: Visit) {
    assert.deepEqual([status, location, forms], [200, undefined, []])
    assert.ok(url.startsWith(`${service.url}/oidc/session/end/success`), url)
  }

  /** Asserts an error page without a redirect or a sign-out. */
  async function isRefused(signedIn: SignedIn, { status, location, headers }: Visit) {
    assert.deepEqual([status, location], [400, undefined])
    assert.match(headers.get('content-type') ?? '', /^text\/html/)
    await isSignedIn(signedIn)
  }

  it('oidcc-rp-initiated-logout-discovery-endpoint-verification: lists the endpoint in the discovery document', () => {
    assert.equal(endpoint, `${service.url}/oidc/session/end`)
  })

  it('oidcc-rp-initiated-logout: signs the user out after confirmation, and redirects with the state', async () => {
    for (const post_logout_redirect_uri of [CALLBACK, HOMEPAGE]) {
      const signedIn = await begin()
      const { id_token_hint, access_token } = signedIn
      const page = await end(signedIn, { id_token_hint, post_logout_redirect_uri, state: 'x &=#ü' })
      await isSignedIn(signedIn)
      const { status, location = '' } = await signOut(signedIn, page)
      assert.equal(status, 303)
      const { origin, pathname, searchParams } = new URL(location)
      assert.equal(origin + pathname, post_logout_redirect_uri)
      assert.deepEqual([...searchParams], [['state', 'x &=#ü']])
      await isSignedOut(signedIn)
      const isSessionEnded = async () => (await fetchUserinfo(service, access_token)).status === 401
      await eventually(isSessionEnded, 'the end of the access token')
    }
  })

  it('oidcc-rp-initiated-logout: accepts POST requests like GET requests', async () => {
    const signedIn = await begin()
    const { browser, id_token_hint } = signedIn
    const page = await browser.post(endpoint, { id_token_hint, post_logout_redirect_uri: HOMEPAGE })
    assert.equal((await signOut(signedIn, page)).location, HOMEPAGE)
    await isSignedOut(signedIn)
  })

  it('oidcc-rp-initiated-logout: accepts an expired ID token as a hint', async () => {
    const signedIn = await begin()
    const { private_jwk } = await service.db
      .selectFrom('signing_keys')
      .select('private_jwk')
      .where('alg', '=', 'RS256')
      .executeTakeFirstOrThrow()
    const { kid, ...jwk } = JSON.parse(private_jwk) as { kid: string }
    const hour = 3_600
    const { iat = 0, exp = 0 } = signedIn.claims
    const id_token_hint = await new SignJWT({
      ...signedIn.claims,
      iat: iat - 9 * hour,
      exp: exp - 9 * hour,
    })
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign({ ...jwk, kty: 'RSA' })
    const page = await end(signedIn, { id_token_hint, post_logout_redirect_uri: HOMEPAGE })
    assert.equal((await signOut(signedIn, page)).location, HOMEPAGE)
  })

  it('oidcc-rp-initiated-logout: redirects a user who chooses to stay signed in', async () => {
    const signedIn = await begin()
    const { browser, id_token_hint } = signedIn
    const page = await end(signedIn, {
      id_token_hint,
      post_logout_redirect_uri: HOMEPAGE,
      state: 's',
    })
    assert.equal((await browser.submit(page, {})).location, `${HOMEPAGE}?state=s`)
    assert.equal((await browser.get('/sign-in')).url, `${service.url}/account`)
  })

  it('oidcc-rp-initiated-logout-no-state: redirects without a state', async () => {
    const signedIn = await begin()
    const { id_token_hint } = signedIn
    const page = await end(signedIn, { id_token_hint, post_logout_redirect_uri: CALLBACK })
    assert.equal((await signOut(signedIn, page)).location, CALLBACK)
    await isSignedOut(signedIn)
  })

  it('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: shows an error page', async () => {
    const signedIn = await begin()
    const { id_token_hint } = signedIn
    for (const post_logout_redirect_uri of [
      `${CALLBACK}/other`,
      'https://app.example/',
      'javascript:alert(1)',
    ])
      await isRefused(
        signedIn,
        await end(signedIn, { id_token_hint, post_logout_redirect_uri, state: 's' }),
      )
  })

  it('oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: shows an error page', async () => {
    const signedIn = await begin()
    const { id_token_hint } = signedIn
    const post_logout_redirect_uri = `${CALLBACK}?foo=bar`
    await isRefused(
      signedIn,
      await end(signedIn, { id_token_hint, post_logout_redirect_uri, state: 's' }),
    )
  })

  it('oidcc-rp-initiated-logout-modified-id-token-hint: shows an error page for an unsigned token', async () => {
    const signedIn = await begin()
    const unsigned = new UnsecuredJWT(signedIn.claims).encode()
    const [head = '', body = ''] = signedIn.id_token_hint.split('.')
    const changed = Buffer.from(JSON.stringify({ ...signedIn.claims, sub: '999' })).toString(
      'base64url',
    )
    const signature = signedIn.id_token_hint.split('.')[2] ?? ''
    for (const id_token_hint of [unsigned, `${head}.${body}.`, `${head}.${changed}.${signature}`])
      await isRefused(
        signedIn,
        await end(signedIn, { id_token_hint, post_logout_redirect_uri: CALLBACK, state: 's' }),
      )
  })

  it('oidcc-rp-initiated-logout-bad-id-token-hint: shows an error page for a hint that is not a valid ID token', async () => {
    const signedIn = await begin()
    const { privateKey } = await generateKeyPair('RS256', { extractable: true })
    const kid = (await publishedKeys(service)).keys.find(({ alg }) => alg === 'RS256')?.kid ?? ''
    assert.ok((await exportJWK(privateKey)).n)
    const forged = await new SignJWT(signedIn.claims)
      .setProtectedHeader({ alg: 'RS256', kid })
      .sign(privateKey)
    for (const id_token_hint of [forged, 'x', 'x.y.z', signedIn.access_token])
      await isRefused(
        signedIn,
        await end(signedIn, { id_token_hint, post_logout_redirect_uri: CALLBACK, state: 's' }),
      )
  })

  it('oidcc-rp-initiated-logout-no-id-token-hint: signs the user out after confirmation, without a redirect', async () => {
    const signedIn = await begin()
    const page = await end(signedIn, { post_logout_redirect_uri: CALLBACK, state: 's' })
    await isSignedIn(signedIn)
    isSignedOutPage(await signOut(signedIn, page))
    await isSignedOut(signedIn)
  })

  it('oidcc-rp-initiated-logout-no-id-token-hint: finds the app by client_id, and accepts its redirect URI', async () => {
    const signedIn = await begin()
    const { clientId: client_id } = party.app
    await isRefused(
      signedIn,
      await end(signedIn, { client_id, post_logout_redirect_uri: `${CALLBACK}/other` }),
    )
    const other = await createClient(service)
    const { id_token_hint } = signedIn
    await isRefused(signedIn, await end(signedIn, { id_token_hint, client_id: other.clientId }))
    const page = await end(signedIn, { client_id, post_logout_redirect_uri: CALLBACK })
    assert.equal((await signOut(signedIn, page)).location, CALLBACK)
  })

  for (const [module, parametersOf] of [
    ['no-params', () => ({})],
    ['only-state', () => ({ state: 's' })],
    [
      'no-post-logout-redirect-uri',
      ({ id_token_hint }: SignedIn) => ({ id_token_hint, state: 's' }),
    ],
  ] as [string, (signedIn: SignedIn) => Record<string, string>][])
    it(`oidcc-rp-initiated-logout-${module}: signs the user out after confirmation, and shows that the user is signed out`, async () => {
      const signedIn = await begin()
      isSignedOutPage(await signOut(signedIn, await end(signedIn, parametersOf(signedIn))))
      await isSignedOut(signedIn)
    })
})
