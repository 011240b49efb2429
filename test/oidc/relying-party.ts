import {
  createLocalJWKSet,
  decodeProtectedHeader,
  jwtVerify,
  type JSONWebKeySet,
  type JWTPayload,
} from 'jose'
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  authorizationResponse,
  authorizationRequest,
  basicAuthorization,
  CALLBACK,
  completeFlow,
  postToProvider,
} from '#test/authorization.ts'
import type { ProviderResponse, TestUser, Tokens } from '#test/authorization.ts'
import type { PlainBrowser, Visit } from '#test/browser.ts'
import type { TestApp, TestService } from '#test/service.ts'

/** Acts as the relying party of the conformance suite, with the checks that it makes in every module. */

/** Authentication of an app at the token endpoint. */
export type Authentication = 'client_secret_basic' | 'client_secret_post' | 'none'

export type RelyingParty = { service: TestService; app: TestApp; authentication: Authentication }

export type Parameters = Record<string, string | undefined>

/** Sends a request to the token endpoint, or to another one with the same authentication. */
export function requestAs(
  { service, app, authentication }: RelyingParty,
  form: Record<string, string>,
  path = '/oidc/token',
): Promise<ProviderResponse> {
  const { clientId: client_id, secret: client_secret } = app
  const url = service.url + path
  if (authentication === 'client_secret_basic')
    return postToProvider(url, form, basicAuthorization(app))
  return postToProvider(url, {
    client_id,
    ...(authentication === 'client_secret_post' && { client_secret }),
    ...form,
  })
}

/** Checks a successful authorization response, and returns its code. */
export function codeOf({ service }: RelyingParty, visit: Visit, state = 'a state'): string {
  assert.equal(visit.status, 303)
  const url = new URL(visit.location ?? '')
  assert.equal(url.hash, '')
  assert.equal(url.origin + url.pathname, CALLBACK)
  const { code = '', ...rest } = Object.fromEntries(authorizationResponse(visit))
  assert.match(code, /^[\w-]{22,}$/)
  assert.deepEqual(rest, { state, iss: `${service.url}/oidc` })
  return code
}

/** Returns the error in an authorization response. */
export function errorOf({ service }: { service: TestService }, visit: Visit): string {
  assert.equal(visit.status, 303)
  assert.ok(visit.location?.startsWith(`${CALLBACK}?`), visit.location ?? visit.text)
  const response = authorizationResponse(visit)
  assert.equal(response.get('code'), null)
  assert.equal(response.get('state'), 'a state')
  assert.equal(response.get('iss'), `${service.url}/oidc`)
  return response.get('error') ?? ''
}

/** Runs the flow from the authorization request to verified tokens. */
export async function signInAtApp(
  party: RelyingParty,
  browser: PlainBrowser,
  user: TestUser,
  parameters: Parameters = {},
): Promise<AppSession> {
  const { path, verifier } = authorizationRequest(party.app, {
    scope: 'openid',
    nonce: 'a nonce',
    ...parameters,
  })
  const code = codeOf(party, await completeFlow(browser, await browser.get(path), user))
  return { code, verifier, ...(await redeemCode(party, { code, verifier }, parameters)) }
}

/** Runs the flow in a browser in which no sign-in or consent page may appear. */
export async function signInSilently(
  party: RelyingParty,
  browser: PlainBrowser,
  parameters: Parameters = {},
): Promise<AppSession> {
  const { path, verifier } = authorizationRequest(party.app, {
    scope: 'openid',
    nonce: 'a nonce',
    ...parameters,
  })
  const code = codeOf(party, await browser.get(path))
  return { code, verifier, ...(await redeemCode(party, { code, verifier }, parameters)) }
}

export type AppSession = { code: string; verifier: string; tokens: Tokens; claims: JWTPayload }

/** @param parameters parameters of the authorization request, whose nonce and scope are checked */
export async function redeemCode(
  party: RelyingParty,
  { code, verifier }: { code: string; verifier: string },
  parameters: Parameters = {},
): Promise<{ tokens: Tokens; claims: JWTPayload }> {
  const response = await exchange(party, { code, verifier })
  assert.equal(response.status, 200, JSON.stringify(response.body))
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  // as: every member is checked here
  const tokens = response.body as Tokens
  assert.equal(tokens.token_type, 'Bearer')
  assert.equal(tokens.expires_in, 3_600)
  const sorted = (scope = 'openid') => scope.split(' ').toSorted()
  assert.deepEqual(sorted(tokens.scope), sorted(parameters['scope']))
  assert.match(tokens.access_token, /^[\w.~+/-]{22,}$/)
  const nonce = 'nonce' in parameters ? parameters['nonce'] : 'a nonce'
  return { tokens, claims: await checkIdToken(party, tokens, nonce) }
}

export const exchange = (
  party: RelyingParty,
  { code, verifier }: { code: string; verifier: string },
) =>
  requestAs(party, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
  })

/** Checks an ID token by OpenID Connect Core §2, Core §3.1.3.7 and, for the hash, Core §3.1.3.6. */
export async function checkIdToken(
  { service, app }: RelyingParty,
  { id_token = '', access_token }: Tokens,
  nonce: string | undefined,
): Promise<JWTPayload> {
  const header = decodeProtectedHeader(id_token)
  assert.equal(header.alg, 'RS256')
  const { payload } = await jwtVerify(id_token, createLocalJWKSet(await publishedKeys(service)), {
    issuer: `${service.url}/oidc`,
    audience: app.clientId,
    algorithms: ['RS256'],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
  })
  assert.equal(payload.aud, app.clientId)
  assert.match(payload.sub ?? '', /^[1-9]\d{0,15}$/)
  assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 3_600)
  assert.equal(payload['nonce'], nonce)
  assert.equal(payload['azp'], undefined)
  if (payload['at_hash'] !== undefined) {
    const half = createHash('sha256').update(access_token).digest().subarray(0, 16)
    assert.equal(payload['at_hash'], half.toString('base64url'))
  }
  return payload
}

/** Fetches the keys of the discovery document, one for every `kid`. */
export async function publishedKeys(service: TestService): Promise<JSONWebKeySet> {
  const { jwks_uri } = await readDiscovery(service)
  // as: RFC 7517, which jose checks when it uses the key
  const set = (await (await fetch(String(jwks_uri))).json()) as JSONWebKeySet
  assert.equal(new Set(set.keys.map(({ kid }) => kid)).size, set.keys.length)
  return set
}

export async function readDiscovery({ url }: { url: string }): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/oidc/.well-known/openid-configuration`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  // as: an object whose members the tests check
  return (await response.json()) as Record<string, unknown>
}

/** Moves the sign-in of all sessions into the past. */
export async function ageSignIn({ db }: TestService, user: TestUser, seconds: number) {
  const sessions = await db
    .selectFrom('sessions')
    .select(['uid', 'payload'])
    .where('account_id', '=', user.id)
    .execute()
  for (const { uid, payload } of sessions) {
    // as: stored by the provider
    const session = JSON.parse(payload) as { loginTs: number }
    const earlier = JSON.stringify({ ...session, loginTs: session.loginTs - seconds })
    await db.updateTable('sessions').set({ payload: earlier }).where('uid', '=', uid).execute()
  }
}
