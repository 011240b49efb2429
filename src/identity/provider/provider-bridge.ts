import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Identity } from '../identity.ts'
import { isUnsupportedResponseType } from './patches/query-response-mode.ts'
import { attachClaims, isJwt, PRESENTED_JWT } from '../tokens/jwt-introspection.ts'

/** As Express and Koa hand a request to what is mounted below a path: `url` without that path. */
type MountedRequest = IncomingMessage & { originalUrl?: string }

const MOUNT = '/oidc'

/**
 * Hands requests to the OpenID provider, a library, which reads them itself. They are rewritten first:
 *
 * - **host**, of every request: that of `authUrl`, whatever the request says of it (`atOurAddress`).
 * - **query** of an authorization request and **body** of a pushed one: without what plain OAuth does not know, and with
 *   a mode of answering that the provider refuses (`correctParameters`).
 * - **token** in the body of a request about a token: a JWT is replaced by a placeholder, and its claims, if it is valid,
 *   go along with the request; `tokens/jwt-introspection.ts` finds them for the provider.
 */
export function providerBridge(identity: Identity, authUrl: string) {
  const { host } = new URL(authUrl)

  function atOurAddress(request: MountedRequest, url: string): MountedRequest {
    identity.prepareRequest(request)
    request.headers.host = host
    delete request.headers['x-forwarded-host']
    request.originalUrl = url
    request.url = url.slice(MOUNT.length)
    return request
  }

  function handle(request: IncomingMessage, response: ServerResponse, url = request.url ?? '/') {
    void identity.handle(atOurAddress(request, url), response)
  }

  return {
    handle,

    handleAuthorization(request: IncomingMessage, response: ServerResponse) {
      const [, queryText = ''] = (request.url ?? '/').split(/\?(.*)/s, 2)
      const query = new URLSearchParams(queryText)
      if (correctParameters(query)) handle(request, response, `${MOUNT}/auth?${query.toString()}`)
      else handle(request, response)
    },

    /** A pushed authorization request (RFC 9126), whose body has been read. */
    handlePushedAuthorization(request: IncomingMessage, response: ServerResponse, body: string) {
      const form = new URLSearchParams(body)
      handle(withBody(request, correctParameters(form) ? form.toString() : body), response)
    },

    /** A request to revoke or introspect a token (RFC 7009, RFC 7662), whose body has been read. */
    async handleRequestAboutToken(
      request: IncomingMessage,
      response: ServerResponse,
      body: string,
    ) {
      const form = new URLSearchParams(body)
      const token = form.get('token') ?? ''
      if (!isJwt(token)) return handle(withBody(request, form.toString()), response)
      const claims = await identity.readJwt(token)
      // An invalid JWT is replaced too, and then unknown: the provider would answer that it cannot handle JWTs.
      form.set('token', PRESENTED_JWT)
      const rewritten = withBody(request, form.toString())
      if (claims) attachClaims(rewritten, claims)
      handle(rewritten, response)
    },
  }
}

/** Parameters that OpenID Connect adds; some clients send them always, and the provider refuses them in plain OAuth. */
const OPENID_PARAMETERS = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'max_age',
  'nonce',
]

/**
 * Deletes the parameters of OpenID Connect from a request of plain OAuth. A `response_mode` other than `query` (§5.3)
 * becomes one that the provider does not know: one that it knows it would use even to answer that it is refused. Of a
 * flow we do not have it becomes `query`, where the refusal is seen by the app's server and not by a script alone.
 *
 * @returns whether anything was changed
 */
function correctParameters(parameters: URLSearchParams): boolean {
  const mode = parameters.get('response_mode')
  const isOtherFlow = isUnsupportedResponseType(parameters.get('response_type') ?? 'code')
  const isOtherMode = mode !== 'query' && (mode !== null || isOtherFlow)
  if (isOtherMode) parameters.set('response_mode', isOtherFlow ? 'query' : 'elsewhere')
  const meaningless = isOpenId(parameters)
    ? []
    : OPENID_PARAMETERS.filter((name) => parameters.has(name))
  for (const name of meaningless) parameters.delete(name)
  return isOtherMode || meaningless.length > 0
}

/** True as well of a request object or a pushed request, whose scope is not visible here. */
const isOpenId = (parameters: URLSearchParams) =>
  parameters.has('request') ||
  parameters.has('request_uri') ||
  (parameters.get('scope') ?? '').split(' ').includes('openid')

/** The same request with another body. Not a real IncomingMessage: the end of one takes the connection with it. */
export function withBody(
  { method, url, headers, socket, httpVersion }: IncomingMessage,
  body: string,
): IncomingMessage {
  const { 'transfer-encoding': _chunked, ...others } = headers
  const copy = Object.assign(Readable.from([Buffer.from(body)]), {
    method,
    url,
    socket,
    httpVersion,
    headers: { ...others, 'content-length': String(Buffer.byteLength(body)) },
  })
  // as: it has all that the provider looks at
  return copy as unknown as IncomingMessage
}
