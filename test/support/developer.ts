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
import type { TestApp, TestService } from './service.ts'
import { sendApiRequest, type ApiRequest, type ApiResponse } from './user-api.ts'

export const APPS_PATH = '/api/v3/user/me/developer/apps'

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
  ): Promise<ApiResponse<Data>>
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

/** Returns a user's tokens from the code flow of the console, whose redirect URI is on the service's own site. */
export async function consoleTokens(
  service: { url: string; config: { baseUrl: string } },
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
      sendDeveloperRequest(url, { token, method, path, body }),
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

/** Sends a request below `APPS_PATH`. */
export const sendDeveloperRequest = <Data = ToldApp>(
  url: string,
  { path = '', ...request }: Partial<ApiRequest>,
) => sendApiRequest<Data>(url, { ...request, path: APPS_PATH + path })
