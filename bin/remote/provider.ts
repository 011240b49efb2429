import { COMMAND_LINE_CLIENT_ID } from '../../src/apps/operator/first-party.ts'
import { Failure } from '../failure.ts'
import { sendRequest, postForm, stringMember, type HttpResponse } from './http-client.ts'
import type { Login } from './credentials.ts'
import { printable } from '../../src/kernel/printable.ts'

/** Endpoints of a server's OpenID provider. */
export type Endpoints = { device: string; token: string; revocation: string }

/**
 * Discovers the endpoints of the server's OpenID provider (OpenID Connect Discovery §4).
 *
 * @throws {Failure} when the server has none
 */
export async function discover(server: string): Promise<Endpoints> {
  const url = `${server}/oidc/.well-known/openid-configuration`
  const { status, body } = await sendRequest(url)
  const at = (name: string) => {
    const endpoint = URL.parse(stringMember(body, name) ?? '')
    // A server reached over https must not direct tokens to an http endpoint.
    const good = endpoint && (endpoint.protocol === 'https:' || server.startsWith('http:'))
    if (status !== 200 || !good)
      throw new Failure(
        `${server} is not a mokuroku server: ${url} returned status ${status} without a valid ${name}.`,
      )
    return endpoint.href
  }
  return {
    device: at('device_authorization_endpoint'),
    token: at('token_endpoint'),
    revocation: at('revocation_endpoint'),
  }
}

/** Requests tokens. Returns an error code if the server refuses (RFC 6749 §5.2, RFC 8628 §3.5). */
export async function requestTokens(
  { token }: Endpoints,
  form: Record<string, string>,
): Promise<{ login: Login; scope: string } | { error: string; description: string }> {
  const response = await postForm(token, { client_id: COMMAND_LINE_CLIENT_ID, ...form })
  const access_token = stringMember(response.body, 'access_token')
  const refresh_token = stringMember(response.body, 'refresh_token')
  if (response.status !== 200 || access_token === undefined || refresh_token === undefined)
    return refusalIn(response)
  const seconds = response.body['expires_in']
  const expires_at = new Date(
    Date.now() + (typeof seconds === 'number' ? seconds : 0) * 1_000,
  ).toISOString()
  return {
    login: { access_token, refresh_token, expires_at },
    scope: stringMember(response.body, 'scope') ?? '',
  }
}

/** Returns the error from an OAuth endpoint. */
export const refusalIn = ({ status, body }: HttpResponse) => ({
  error: stringMember(body, 'error') ?? `status ${status}`,
  description: printable(
    stringMember(body, 'error_description') ?? stringMember(body, 'error') ?? `status ${status}`,
  ),
})

/**
 * Revokes a refresh token and the tokens derived from it (RFC 7009).
 *
 * @throws {Failure} when the server refuses
 */
export async function revoke({ revocation }: Endpoints, refreshToken: string): Promise<void> {
  const response = await postForm(revocation, {
    client_id: COMMAND_LINE_CLIENT_ID,
    token: refreshToken,
    token_type_hint: 'refresh_token',
  })
  if (response.status !== 200)
    throw new Failure(`The server responded: ${refusalIn(response).description}.`)
}
