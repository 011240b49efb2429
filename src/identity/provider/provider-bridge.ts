import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Identity } from '../identity.ts'
import { isUnsupportedResponseType } from './patches/query-response-mode.ts'
import { attachClaims, isJwt, PRESENTED_JWT } from '../tokens/jwt-introspection.ts'

/** Request as mounted by Express and Koa: `url` without the mount path. */
type MountedRequest = IncomingMessage & { originalUrl?: string }

const MOUNT_PATH = '/oidc'

/**
 * Rewrites requests and passes them to the OpenID provider, which reads them itself:
 *
 * - **host** of every request: always that of `authUrl` (`withOwnHost`).
 * - **query** of an authorization request and **body** of a pushed one: without parameters unknown to plain OAuth, and
 *   with unsupported response modes replaced (`correctParameters`).
 * - **token** in the body of a request about a token: a JWT is replaced with a placeholder, and its claims are
 *   attached to the request if it is valid (`tokens/jwt-introspection.ts`).
 */
export function providerBridge(identity: Identity, authUrl: string) {
  const { host } = new URL(authUrl)

  function withOwnHost(request: MountedRequest, url: string): MountedRequest {
    identity.prepareRequest(request)
    request.headers.host = host
    delete request.headers['x-forwarded-host']
    request.originalUrl = url
    request.url = url.slice(MOUNT_PATH.length)
    return request
  }

  function handle(request: IncomingMessage, response: ServerResponse, url = request.url ?? '/') {
    void identity.handle(withOwnHost(request, url), response)
  }

  return {
    handle,

    handleAuthorization(request: IncomingMessage, response: ServerResponse) {
      const [, queryText = ''] = (request.url ?? '/').split(/\?(.*)/s, 2)
      const query = new URLSearchParams(queryText)
      if (correctParameters(query))
        handle(request, response, `${MOUNT_PATH}/auth?${query.toString()}`)
      else handle(request, response)
    },

    /** Handles a pushed authorization request (RFC 9126) whose body has been read. */
    handlePushedAuthorization(request: IncomingMessage, response: ServerResponse, body: string) {
      const form = new URLSearchParams(body)
      handle(withBody(request, correctParameters(form) ? form.toString() : body), response)
    },

    /** Handles a request to revoke or introspect a token (RFC 7009, RFC 7662) whose body has been read. */
    async handleRequestAboutToken(
      request: IncomingMessage,
      response: ServerResponse,
      body: string,
    ) {
      const form = new URLSearchParams(body)
      const token = form.get('token') ?? ''
      if (!isJwt(token)) return handle(withBody(request, form.toString()), response)
      const claims = await identity.readJwt(token)
      // An invalid JWT is also replaced, and is then unknown. Otherwise the provider would report that it cannot
      // handle JWTs.
      form.set('token', PRESENTED_JWT)
      const rewritten = withBody(request, form.toString())
      if (claims) attachClaims(rewritten, claims)
      handle(rewritten, response)
    },
  }
}

/** OpenID Connect parameters that some clients always send, and the provider rejects in plain OAuth. */
const OPENID_PARAMETERS = [
  'acr_values',
  'claims',
  'claims_locales',
  'id_token_hint',
  'max_age',
  'nonce',
]

/**
 * Deletes OpenID Connect parameters from a plain OAuth request. Replaces a `response_mode` other than `query` (§5.3)
 * with an unknown one, because the provider would use a known one even to report the error. For an unsupported flow,
 * sets `query`, so that the app's server sees the error.
 *
 * @returns whether anything was changed
 */
function correctParameters(parameters: URLSearchParams): boolean {
  const mode = parameters.get('response_mode')
  const isOtherFlow = isUnsupportedResponseType(parameters.get('response_type') ?? 'code')
  const isOtherMode = mode !== 'query' && (mode !== null || isOtherFlow)
  if (isOtherMode) parameters.set('response_mode', isOtherFlow ? 'query' : 'elsewhere')
  const unsupported = isOpenId(parameters)
    ? []
    : OPENID_PARAMETERS.filter((name) => parameters.has(name))
  for (const name of unsupported) parameters.delete(name)
  return isOtherMode || unsupported.length > 0
}

/** Also true for request objects and pushed requests, whose scope is not visible here. */
const isOpenId = (parameters: URLSearchParams) =>
  parameters.has('request') ||
  parameters.has('request_uri') ||
  (parameters.get('scope') ?? '').split(' ').includes('openid')

/**
 * Copies a request with a different body. The copy is not a real IncomingMessage, because ending one would close the
 * connection.
 */
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
  // as: the copy has every property that the provider reads
  return copy as unknown as IncomingMessage
}
