import assert from 'node:assert/strict'
import { createClient, createUser, obtainTokens, type TestUser } from './authorization.ts'
import { responseValidator } from './openapi.ts'
import type { TestApp, TestService } from './service.ts'

/** Any JSON object. The tests check the members. */
// oxlint-disable-next-line typescript/no-explicit-any -- the tests check what a response contains
export type AnyJson = any

export type ApiResponse<Data = AnyJson> = {
  status: number
  headers: Headers
  text: string
  /** Raw body; empty for 204. */
  body: AnyJson
  /** `data` of the envelope. Missing in an error; a test that reads it then fails. */
  data: Data
  /** `error` of the envelope. Missing in a success. */
  error: AnyJson
  code: string | undefined
  /** Fields that an error names. */
  fields: string[]
  details: Record<string, unknown> | undefined
}

export type ApiRequest = {
  token?: string | undefined
  method?: string
  path: string
  /** A plain object is sent as JSON, text and bytes unchanged. */
  body?: object | string | undefined
  headers?: Record<string, string>
}

/** A user with a token, who sends requests like an app. */
export type SignedInUser = {
  user: TestUser
  token: string
  /** Validates each response against the document. */
  send<Data = AnyJson>(
    method: string,
    path: string,
    body?: object | string,
  ): Promise<ApiResponse<Data>>
}

/** Returns the document's path for a URL of the user API or the catalog, in either family. */
export const documentedUserPath = (path: string) =>
  (path.split('?', 1)[0] ?? path)
    .replace(/^\/api\/v3\/open\/user\/me(?=\/|$)/, '/v3/user/me')
    .replace(/^\/v3\/(?!user\/me)/, '/api/v3/open/')
    .replace(
      /(\/items|\/containing)\/[^/]+\/[^/]+(\/position|\/restore)?$/,
      '$1/{kind}/{work_id}$2',
    )
    .replace(/\/profiles\/[^/]+/, '/profiles/{name}')
    .replace(/\/tags\/.+\/works$/, '/tags/{name}/works')
    .replace(/(\/developer\/apps)\/[^/]*/, '$1/{client_id}')
    .replace(
      /(\/collections\/[^/{]+)\/(?:galgames|light-novels|mangas)\/[^/{]+$/,
      '$1/{kind}/{work_id}',
    )
    .replace(/\/(collections)\/(?!containing)[^/]+/, '/$1/{id}')
    .replace(/\/(galgames|light-novels|mangas)\/[^/]+/, '/$1/{id}')
    .replaceAll(/\/\d+(?=\/|$)/g, '/{id}')

/** Sends a request, and validates the response against the document that the service serves. */
export async function sendApiRequest<Data = AnyJson>(
  url: string,
  { token, method = 'GET', path, body, headers = {} }: ApiRequest,
): Promise<ApiResponse<Data>> {
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body:
      typeof body === 'object' && !(body instanceof Uint8Array)
        ? JSON.stringify(body)
        : // as: text, or bytes in memory that is not shared
          ((body as string | Uint8Array<ArrayBuffer> | undefined) ?? null),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
  const json: AnyJson = isJson && text !== '' ? JSON.parse(text) : undefined
  // The document has no operation for an unsupported method.
  if (json !== undefined && response.status !== 405 && !isEnvelopedPut(method, path)) {
    const problems = responseValidator()(
      documentedUserPath(path),
      response.status,
      json,
      method.toLowerCase(),
    )
    assert.equal(problems, '')
  }
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: json,
    data: json?.data,
    error: json?.error,
    code: json?.error?.code,
    fields: (json?.error?.field_errors ?? []).map(({ field }: AnyJson) => field),
    details: json?.details ?? json?.error?.details,
  }
}

/** Sends requests one after another. Returns their distinct statuses and codes. Each 401 must name the Bearer scheme. */
export async function distinctResponses<Operation>(
  operations: readonly Operation[],
  send: (operation: Operation) => Promise<ApiResponse<unknown>>,
): Promise<string> {
  const responses = new Set<string>()
  for (const operation of operations) {
    const { status, code, headers } = await send(operation)
    responses.add(`${status} ${code}`)
    if (status === 401) assert.match(headers.get('www-authenticate') ?? '', /^Bearer /)
  }
  return [...responses].join(', ')
}

/** Returns the envelope even where the documented path returns bare data (decision 0013). */
const isEnvelopedPut = (method: string, path: string) =>
  method === 'PUT' && /^\/api\/v3\/open\/user\/me\/rates\/light-novels\/\d+$/.test(path)

/** Creates a user with an app's token, through the whole code flow. */
export async function signIn(
  service: TestService,
  {
    scope = 'status:write status:notes collection:write user:read',
    app,
  }: { scope?: string; app?: TestApp } = {},
): Promise<SignedInUser> {
  const user = await createUser(service)
  const client = app ?? (await createClient(service))
  const { access_token: token } = await obtainTokens(service, { app: client, user, scope })
  return {
    user,
    token,
    send: (method, path, body) => sendApiRequest(service.url, { token, method, path, body }),
  }
}
