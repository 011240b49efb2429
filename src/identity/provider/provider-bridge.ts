import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { isJwt, attachClaims, PRESENTED_JWT } from '../tokens/jwt-introspection.ts'
import type { Identity } from '../identity.ts'

type MountedRequest = IncomingMessage & { originalUrl?: string }

/** Parameters that OpenID Connect adds; the provider refuses them in a request of plain OAuth, where they mean nothing. */
const OPENID_PARAMETERS = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce']

/**
 * Gives requests to the provider, as it should see them: whatever a request says of its host, the provider is at the
 * address it was configured with.
 */
export function providerBridge(identity: Identity, authUrl: string) {
  const { host } = new URL(authUrl)
  const settle = (request: MountedRequest, url: string) => {
    identity.prepareRequest(request)
    request.headers.host = host
    delete request.headers['x-forwarded-host']
    request.originalUrl = url
    request.url = url.slice('/oidc'.length)
    return request
  }
  return {
    handle(request: IncomingMessage, response: ServerResponse, url = request.url ?? '/') {
      void identity.handle(settle(request, url), response)
    },
    /** An authorization request; some clients send a `nonce` whether they ask for `openid` or not. */
    authorize(request: IncomingMessage, response: ServerResponse) {
      const url = request.url ?? '/'
      const query = new URLSearchParams(url.split(/\?(.*)/s, 2)[1] ?? '')
      if (!dropStray(query)) return this.handle(request, response)
      this.handle(request, response, `/oidc/auth?${query.toString()}`)
    },
    /** The same, pushed (RFC 9126), its body already read. */
    handlePushed(request: IncomingMessage, response: ServerResponse, body: string) {
      const form = new URLSearchParams(body)
      const sent = dropStray(form) ? form.toString() : body
      void identity.handle(settle(withBody(request, sent), request.url ?? '/'), response)
    },
    /** A request about a token (RFC 7009, RFC 7662), its body already read: a JWT in it is named (identity/tokens/jwt-introspection.ts). */
    async handleToken(request: IncomingMessage, response: ServerResponse, body: string) {
      const form = new URLSearchParams(body)
      const token = form.get('token') ?? ''
      const claims = isJwt(token) ? await identity.readJwt(token) : undefined
      // Of a JWT that is not good nothing is told; the provider would say that it is a JWT.
      if (isJwt(token)) form.set('token', PRESENTED_JWT)
      const rewritten = withBody(request, form.toString())
      if (claims) attachClaims(rewritten, claims)
      void identity.handle(settle(rewritten, request.url ?? '/'), response)
    },
  }
}

/**
 * Takes out of a request of plain OAuth what only OpenID Connect knows. And a mode of answering that is not the query's
 * (§5.3) is made one the provider has never heard of: those it knows it would use even to refuse them.
 *
 * @returns whether anything had to be changed
 */
function dropStray(parameters: URLSearchParams): boolean {
  const mode = parameters.get('response_mode')
  const elsewhere = mode !== null && mode !== 'query'
  if (elsewhere) parameters.set('response_mode', 'elsewhere')
  const stray = isOpenId(parameters) ? [] : OPENID_PARAMETERS.filter((name) => parameters.has(name))
  for (const name of stray) parameters.delete(name)
  return elsewhere || stray.length > 0
}

/** With a request object or a pushed request it is not known here. */
const isOpenId = (query: URLSearchParams) =>
  query.has('request') || query.has('request_uri') || (query.get('scope') ?? '').split(' ').includes('openid')

/** The same request with another body. Not a real IncomingMessage: the end of one takes the connection with it. */
function withBody(
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
