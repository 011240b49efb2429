import {
  createClient,
  isMokurokuError,
  type MokurokuError,
  type TokenSource,
} from '../../sdk/index.js'
import { DEVELOPER_APPS_PATH } from '../../src/http/wire/addresses/path-families.ts'
import { isJsonObject } from '../../src/kernel/is-json-object.ts'
import { printable } from '../../src/kernel/printable.ts'
import { Failure } from '../failure.ts'
import { UsageError } from '../usage-error.ts'
import { REQUESTS, toFailure } from './http-client.ts'
import { loggedOut, tokensFor } from './session.ts'

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
  const token = tokensFor(server)
  const { method = 'GET', path = '', body } = call
  const isIdempotent = method === 'GET' || method === 'DELETE'
  let response: unknown
  const send = (access: TokenSource | string) => {
    const client = createClient({ ...REQUESTS, server, token: access, cache: false })
    return client.send(method, DEVELOPER_APPS_PATH + path, body && { body }, {
      onResponse: (_response, envelope) => (response = envelope),
    })
  }
  try {
    const data = await send(token).catch(async (error: unknown) => {
      // The token was revoked before it expired. The client has refreshed it, but has repeated only idempotent requests.
      if (isMokurokuError(error) && error.status === 401 && !isIdempotent)
        return send(await token())
      throw error
    })
    if (data === undefined) return { data: null, details: {} }
    if (!isJsonObject(response) || response['success'] !== true)
      throw new Failure(`${server} returned an unexpected response.`)
    const { details } = response
    return { data, details: isJsonObject(details) ? details : {} }
  } catch (error) {
    if (!isMokurokuError(error) || error.status === undefined) throw toFailure(error, server)
    if (error.status === 401) throw loggedOut(server)
    throw new Failure(describeRefusal(error), { cause: error })
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

function describeRefusal({ fieldErrors, message, retryAfter }: MokurokuError): string {
  if (fieldErrors.length > 0)
    return fieldErrors.map(({ field, message: text }) => printable(`${field}: ${text}`)).join('\n')
  const wait = retryAfter === undefined ? '' : ` Try again in ${Math.ceil(retryAfter)} seconds.`
  return printable(message) + wait
}
