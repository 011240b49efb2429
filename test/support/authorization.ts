import { createHash, randomBytes } from 'node:crypto'
import * as openid from 'openid-client'
import { setRole, type Role } from '../../src/accounts/role-queries.ts'
import type { NewApp } from '../../src/apps/queries.ts'
import { addAccount } from './accounts.ts'
import { formWith, PlainBrowser, type Visit } from './browser.ts'
import type { TestApp, TestService } from './service.ts'

export const CALLBACK = 'http://127.0.0.1:14792/callback'
/** All scopes available to third-party apps. */
export const ALL_SCOPES = [
  'catalog:full',
  'user:read',
  'status:read',
  'status:write',
  'status:notes',
  'collection:read',
  'collection:write',
]

export type TestUser = { id: number; email: string; name: string; password: string }
export type Tokens = {
  access_token: string
  token_type: string
  expires_in: number
  scope: string
  id_token?: string
  refresh_token?: string
}
export type ProviderResponse = { status: number; headers: Headers; body: Record<string, unknown> }

let users = 0

/** A user with an account. */
export async function createUser(
  { db }: Pick<TestService, 'db'>,
  name = 'Reader',
  role: Role | null = null,
): Promise<TestUser> {
  users += 1
  const user = {
    email: `reader-${process.pid}-${users}@example.org`,
    name,
    password: 'correct horse battery',
  }
  const id = await addAccount(db, user)
  if (role) await setRole(db, id, role)
  return { id, ...user }
}

/** Creates an app with a redirect URI and every scope. */
export const createClient = (service: TestService, app: Partial<NewApp> = {}): Promise<TestApp> =>
  service.createApp({ scopes: ALL_SCOPES, redirectUris: [CALLBACK], ...app })

/** Returns an authorization request (§5.2) with the values needed to redeem its code. */
export function authorizationRequest(
  app: TestApp,
  parameters: Record<string, string | undefined> = {},
) {
  const verifier = randomBytes(32).toString('base64url')
  const all = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: CALLBACK,
    scope: 'openid status:write',
    state: 'a state',
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
    ...parameters,
  }
  const given = Object.entries(all).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return { verifier, path: `/oidc/auth?${new URLSearchParams(given).toString()}` }
}

export const challengeOf = (verifier: string) =>
  createHash('sha256').update(verifier).digest('base64url')

/**
 * Continues from any page of the flow to the redirect URI, signing in and giving consent on the way.
 *
 * @param redirectUri an app's URI on the service's own site, which the browser visits
 */
export async function completeFlow(
  browser: PlainBrowser,
  visit: Visit,
  user: TestUser,
  redirectUri = CALLBACK,
): Promise<Visit> {
  let page = visit
  const isThere = () => page.location !== undefined || page.url.startsWith(`${redirectUri}?`)
  for (let step = 0; step < 6 && !isThere(); step += 1) {
    if (page.forms.some(({ fields }) => 'password' in fields))
      page = await browser.submit(page, { email: user.email, password: user.password })
    else if (page.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
      page = await browser.submit(page, { decision: 'allow' })
    else if (page.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'choice')))
      page = await browser.submit(page, { choice: 'continue' }, formWith(page, ['choice']))
    else
      throw new Error(`No way on from ${page.url} (${page.status}):\n${page.text.slice(0, 2_000)}`)
  }
  return page
}

/** Returns the parameters passed to the redirect URI. */
export function authorizationResponse({ location, text, status }: Visit): URLSearchParams {
  if (location === undefined)
    throw new Error(`No redirect to the app but ${status}:\n${text.slice(0, 2_000)}`)
  return new URL(location).searchParams
}

/** Posts a form to an endpoint of the provider. The client authenticates with its default method. */
export async function postToProvider(
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<ProviderResponse> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })
  const text = await response.text()
  // as: the test checks the members
  const body = (text.startsWith('{') ? JSON.parse(text) : {}) as Record<string, unknown>
  return { status: response.status, headers: response.headers, body }
}

export const basicAuthorization = ({ clientId, secret }: TestApp) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

/** Sends a token request from the app. A public client sends its id in the form. */
export const sendTokenRequest = (
  service: { url: string },
  app: TestApp,
  form: Record<string, string>,
): Promise<ProviderResponse> =>
  app.secret === ''
    ? postToProvider(`${service.url}/oidc/token`, { client_id: app.clientId, ...form })
    : postToProvider(`${service.url}/oidc/token`, form, basicAuthorization(app))

export const redeem = (
  service: { url: string },
  app: TestApp,
  code: string,
  verifier: string,
  redirectUri = CALLBACK,
) =>
  sendTokenRequest(service, app, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  })

export const refresh = (
  service: { url: string },
  app: TestApp,
  refreshToken: string,
  more: Record<string, string> = {},
) =>
  sendTokenRequest(service, app, {
    grant_type: 'refresh_token',
    refresh_token: refreshToken,
    ...more,
  })

/** Runs the flow of §5.2–5.4 up to the code. */
export async function authorize(
  service: { url: string },
  {
    app,
    user,
    browser = new PlainBrowser(service.url),
    ...parameters
  }: { app: TestApp; user: TestUser; browser?: PlainBrowser } & Record<
    string,
    string | undefined | object
  >,
) {
  // as: request parameters; the object types are stated above
  const { path, verifier } = authorizationRequest(
    app,
    parameters as Record<string, string | undefined>,
  )
  const visit = await completeFlow(browser, await browser.get(path), user)
  const response = authorizationResponse(visit)
  return { browser, verifier, answer: response, code: response.get('code') ?? '' }
}

/** Runs the flow of §5.2–5.4 up to the tokens. */
export async function obtainTokens(
  service: { url: string },
  options: Parameters<typeof authorize>[1],
): Promise<Tokens & { browser: PlainBrowser; code: string; verifier: string }> {
  const { code, verifier, browser } = await authorize(service, options)
  const redirectUri = options['redirect_uri']
  const { status, body } = await redeem(
    service,
    options.app,
    code,
    verifier,
    typeof redirectUri === 'string' ? redirectUri : CALLBACK,
  )
  if (status !== 200) throw new Error(`The code was refused: ${JSON.stringify(body)}`)
  // as: §5.4
  return { ...(body as Tokens), browser, code, verifier }
}

type Credentials = Pick<TestUser, 'email' | 'password'>

/** Submits the sign-in form. */
export const submitSignIn = async (browser: PlainBrowser, { email, password }: Credentials) =>
  browser.submit(await browser.get('/sign-in'), { email, password })

/** Returns a browser in which the user has signed in without a request from an app. */
export async function signedInBrowser(service: { url: string }, user: Credentials) {
  const browser = new PlainBrowser(service.url)
  await submitSignIn(browser, user)
  return browser
}

export type UserWithBrowser = TestUser & { browser: PlainBrowser }

/**
 * Creates a user with this role, and signs the user in.
 *
 * @param at URL of the process at which the user signs in
 */
export async function signedInAs(
  service: Pick<TestService, 'db' | 'url'>,
  role: Role | null,
  { name = 'Reader', at = service.url } = {},
): Promise<UserWithBrowser> {
  const user = await createUser(service, name, role)
  return { ...user, browser: await signedInBrowser({ url: at }, user) }
}

/** Configures openid-client for the app, with its default authentication method. */
export const openidClient = (
  service: TestService,
  { clientId, secret }: TestApp,
  authentication = secret === '' ? openid.None() : openid.ClientSecretBasic(secret),
) =>
  openid.discovery(new URL(`${service.url}/oidc`), clientId, {}, authentication, {
    execute: [openid.allowInsecureRequests],
  })

/** Returns the catalog's response to the access token: 200, or the status and error code. */
export async function catalogStatus({ url }: { url: string }, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/api/v3/open/people/1`, { headers })
  // as: a response in another format has no code, and the test fails
  const { error } = (await response.json()) as { error?: { code: string } }
  return error ? `${response.status} ${error.code}` : String(response.status)
}

/** Returns the response of `/oidc/me` to the access token. */
export async function fetchUserinfo(
  service: TestService,
  token: string,
): Promise<ProviderResponse> {
  const response = await service.get('/oidc/me', token)
  // as: the test checks the members
  const body = (await response.json()) as ProviderResponse['body']
  return { status: response.status, headers: response.headers, body }
}
