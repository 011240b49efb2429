import { Failure } from '../failure.ts'
import { UsageError } from '../usage-error.ts'
import { accessToken, loggedOut } from './access-token.ts'
import { sendRequest, stringMember, type HttpResponse } from './http-client.ts'
import { DEVELOPER_APPS_PATH } from '../../src/http/wire/addresses/path-families.ts'
import { printable } from '../../src/kernel/printable.ts'

/** `details` describes the change, for example the scopes that were dropped. */
export type Success = { data: unknown; details: Record<string, unknown> }

export type ApiCall = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Path, relative to that of the list of apps. */
  path?: string
  body?: Record<string, unknown>
}

/**
 * Sends a request to the developer API (§4.2) with the stored login.
 *
 * @throws {Failure} with one line per invalid field, or the message of the server
 */
export async function callDeveloperApi(server: string, call: ApiCall = {}): Promise<Success> {
  const token = await accessToken(server)
  let response = await send(server, token, call)
  if (response.status === 401) {
    // The token was revoked before it expired. A refresh shows whether the whole login was revoked.
    response = await send(server, await accessToken(server, token), call)
    if (response.status === 401) throw loggedOut(server)
  }
  if (response.status === 204) return { data: null, details: {} }
  const { success, data, details } = response.body
  if (success !== true) throw new Failure(describeRefusal(server, response))
  // as: the value is an object, or null, which becomes an empty object
  return {
    data,
    details: typeof details === 'object' ? ((details ?? {}) as Record<string, unknown>) : {},
  }
}

/**
 * Returns an app's path.
 *
 * @throws {UsageError} for a malformed client ID
 */
export function pathOf(clientId: string): string {
  if (!/^[\w-]+$/.test(clientId)) throw new UsageError(`${clientId} is not a client ID.`)
  return `/${clientId}`
}

const send = (server: string, token: string, { method = 'GET', path = '', body }: ApiCall) =>
  sendRequest(`${server}${DEVELOPER_APPS_PATH}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })

function describeRefusal(server: string, { status, body, headers }: HttpResponse): string {
  // as: the members are checked below
  const error = (typeof body['error'] === 'object' ? (body['error'] ?? {}) : {}) as Record<
    string,
    unknown
  >
  const fields: unknown[] = Array.isArray(error['field_errors']) ? error['field_errors'] : []
  const lines = fields.flatMap((fault) => {
    // as: a value of any other type has neither string
    const { field, message } = (fault ?? {}) as Record<string, unknown>
    return typeof field === 'string' && typeof message === 'string'
      ? [printable(`${field}: ${message}`)]
      : []
  })
  if (lines.length > 0) return lines.join('\n')
  const wait = headers.get('retry-after')
  const message = printable(
    stringMember(error, 'message') ??
      `${server} returned an unexpected response (status ${status}).`,
  )
  return wait === null ? message : `${message} Try again in ${printable(wait)} seconds.`
}
