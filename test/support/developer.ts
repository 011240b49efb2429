import assert from 'node:assert/strict'
import { CONSOLE_CLIENT_ID, consoleRedirectUri } from '../../src/apps/operator/first-party.ts'
import type { DeveloperAppWithSecret as ToldApp } from '../../src/apps/schemas.ts'
import {
  authorizationRequest,
  createUser,
  redeem,
  signedInBrowser,
  type TestUser,
  type Tokens,
} from './authorization.ts'
import { responseValidator } from './openapi.ts'
import type { TestApp, TestService } from './service.ts'

export const APPS_PATH = '/api/v3/user/me/developer/apps'

export type DeveloperResponse<Data = ToldApp> = {
  status: number
  headers: Headers
  text: string
  /** Missing in an error; a test that reads it then fails. */
  data: Data
  details: Record<string, unknown> | undefined
  code: string | undefined
  /** Fields that an error names. */
  fields: string[]
}

/** A user with a console token, who sends the console's requests. */
export type Developer = {
  user: TestUser
  token: string
  /**
   * Sends a request below `/api/v3/user/me/developer/apps`, and validates the response against `openapi.json`.
   *
   * @param body an object is sent as JSON, a string unchanged
   * @param url URL of another process
   */
  send<Data = ToldApp>(
    method: string,
    path?: string,
    body?: object | string,
    url?: string,
  ): Promise<DeveloperResponse<Data>>
  /** Creates an app with the given fields. */
  create(body?: object): Promise<ToldApp>
}

/** All operations on one app. */
export const APP_OPERATIONS: [method: string, rest: string, body?: object][] = [
  ['GET', ''],
  ['PATCH', '', { client_name: 'Stolen' }],
  ['POST', '/secret'],
  ['DELETE', '/secret/previous'],
  ['PUT', '/logo', { client_name: 'Stolen' }],
  ['GET', '/usage'],
  ['GET', '/usage/endpoints'],
  ['GET', '/refused-requests'],
  ['DELETE', ''],
]

const problems = responseValidator()

/** Returns a user's tokens from the code flow of the console, whose redirect URI is on the service's own site. */
export async function consoleTokens(
  service: TestService,
  user: TestUser,
  scope = 'developer:apps',
) {
  const app = { clientId: CONSOLE_CLIENT_ID, secret: '' }
  const redirectUri = consoleRedirectUri(service.config.baseUrl)
  const browser = await signedInBrowser(service, user)
  const { path, verifier } = authorizationRequest(app, { redirect_uri: redirectUri, scope })
  let page = await browser.get(path)
  if (page.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision')))
    page = await browser.submit(page, { decision: 'allow' })
  assert.ok(
    page.url.startsWith(`${redirectUri}?`),
    `${page.url} ${page.status}: ${page.text.slice(0, 500)}`,
  )
  const code = new URL(page.url).searchParams.get('code') ?? ''
  const { status, body } = await redeem(service, app, code, verifier, redirectUri)
  assert.equal(status, 200, JSON.stringify(body))
  // as: §5.4
  return body as Tokens
}

export async function createDeveloper(
  service: TestService,
  name = 'Developer',
): Promise<Developer> {
  const user = await createUser(service, name)
  const { access_token: token } = await consoleTokens(service, user)
  const developer: Developer = {
    user,
    token,
    send: (method, path = '', body, url = service.url) =>
      sendDeveloperRequest(url, { token, method, path, ...(body !== undefined && { body }) }),
    async create(body = {}) {
      const { status, data, text } = await developer.send('POST', '', {
        client_name: 'An app',
        ...body,
      })
      assert.equal(status, 201, text)
      return data
    },
  }
  return developer
}

/** Converts the app for the helpers of the token endpoint. Without a secret it is public. */
export const toTestApp = ({ client_id, client_secret }: ToldApp): TestApp => ({
  clientId: client_id,
  secret: client_secret ?? '',
})

export async function sendDeveloperRequest<Data = ToldApp>(
  url: string,
  request: { token?: string; method: string; path?: string; body?: object | string },
): Promise<DeveloperResponse<Data>> {
  const { token, method, path = '', body } = request
  const response = await fetch(url + APPS_PATH + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: typeof body === 'object' ? JSON.stringify(body) : (body ?? null),
  })
  const text = await response.text()
  const documented = APPS_PATH + path.replace(/^\/[^/]*/, '/{client_id}')
  // as: validated against the document on the next line
  const json = (text === '' ? {} : JSON.parse(text)) as {
    data: Data
    details?: Record<string, unknown>
    error?: { code: string; field_errors?: { field: string }[]; details?: Record<string, unknown> }
  }
  if (response.status === 204) assert.equal(text, '')
  else assert.equal(problems(documented, response.status, json, method.toLowerCase()), '')
  return {
    status: response.status,
    headers: response.headers,
    text,
    data: json.data,
    details: json.details ?? json.error?.details,
    code: json.error?.code,
    fields: (json.error?.field_errors ?? []).map(({ field }) => field),
  }
}
