import { COMMAND_LINE_CLIENT_ID } from '../../src/apps/operator/first-party.ts'
import { Failure } from '../failure.ts'
import { askServer, postForm, textIn, type Answer } from './ask-server.ts'
import type { Login } from './credentials.ts'
import { printable } from '../../src/kernel/printable.ts'

/** Addresses of a server's OpenID provider. */
export type Endpoints = { device: string; token: string; revocation: string }

/** Where the server's OpenID provider does what (OpenID Connect Discovery §4). @throws {Failure} when it has none */
export async function discover(server: string): Promise<Endpoints> {
  const url = `${server}/oidc/.well-known/openid-configuration`
  const { status, body } = await askServer(url)
  const at = (name: string) => {
    const endpoint = URL.parse(textIn(body, name) ?? '')
    // A server reached by https must not send a token to an endpoint that is not.
    const good = endpoint && (endpoint.protocol === 'https:' || server.startsWith('http:'))
    if (status !== 200 || !good)
      throw new Failure(
        `${server} is no mokuroku server: ${url} answered ${status} without a good ${name.replaceAll('_', ' ')}.`,
      )
    return endpoint.href
  }
  return {
    device: at('device_authorization_endpoint'),
    token: at('token_endpoint'),
    revocation: at('revocation_endpoint'),
  }
}

/** A token request of this program: tokens, or the error code (RFC 6749 §5.2, RFC 8628 §3.5). */
export async function requestTokens(
  { token }: Endpoints,
  form: Record<string, string>,
): Promise<{ login: Login; scope: string } | { error: string; description: string }> {
  const answer = await postForm(token, { client_id: COMMAND_LINE_CLIENT_ID, ...form })
  const access_token = textIn(answer.body, 'access_token')
  const refresh_token = textIn(answer.body, 'refresh_token')
  if (answer.status !== 200 || access_token === undefined || refresh_token === undefined)
    return refusalIn(answer)
  const seconds = answer.body['expires_in']
  const expires_at = new Date(
    Date.now() + (typeof seconds === 'number' ? seconds : 0) * 1_000,
  ).toISOString()
  return {
    login: { access_token, refresh_token, expires_at },
    scope: textIn(answer.body, 'scope') ?? '',
  }
}

/** What an endpoint of OAuth says of its refusal. */
export const refusalIn = ({ status, body }: Answer) => ({
  error: textIn(body, 'error') ?? `status ${status}`,
  description: printable(
    textIn(body, 'error_description') ?? textIn(body, 'error') ?? `status ${status}`,
  ),
})

/** Ends a refresh token and what came of it (RFC 7009). @throws {Failure} when the server does not */
export async function revoke({ revocation }: Endpoints, refreshToken: string): Promise<void> {
  const answer = await postForm(revocation, {
    client_id: COMMAND_LINE_CLIENT_ID,
    token: refreshToken,
    token_type_hint: 'refresh_token',
  })
  if (answer.status !== 200) throw new Failure(`It answered: ${refusalIn(answer).description}.`)
}
