import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bearerToken } from '../../http/admission/bearer.ts'
import { invalidToken } from '../../http/wire/errors/refusals.ts'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { PREFLIGHT_HEADERS } from '../../http/wire/errors/headers.ts'
import type { Identity } from '../identity.ts'
import { CLAIMS } from '../claims.ts'
import { protocolHeaders } from './requests/protocol-responses.ts'

/**
 * Serves `/oidc/me` (OpenID Connect Core §5.3) in place of the library, which rejects API tokens. Many relying parties
 * use API tokens there (decision 0003).
 */
export async function userinfo(app: FastifyInstance, { identity }: { identity: Identity }) {
  const common = {
    url: '/oidc/me',
    config: { access: 'protocol' },
    schema: { hide: true },
  } as const
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, new URLSearchParams(String(body)).get('access_token')),
  )
  app.route({
    ...common,
    method: 'OPTIONS',
    handler: (_request, reply) => reply.status(204).headers(PREFLIGHT_HEADERS).send(),
  })
  app.route({
    ...common,
    method: ['GET', 'HEAD', 'POST'],
    async handler(request, reply) {
      try {
        const granted = await identity.introspect(tokenOf(request))
        const scopes = new Set(granted.scopes)
        if (!scopes.has('openid')) throw insufficientScope()
        const claims = await identity.claimsOf(granted.accountId)
        if (!claims) throw invalidToken()
        const released = new Set(
          Object.entries(CLAIMS).flatMap(([scope, names]) => (scopes.has(scope) ? names : [])),
        )
        const body = Object.entries(claims).filter(([name]) => released.has(name))
        return reply.headers(headersOf(request)).send(Object.fromEntries(body))
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        return sendBearerError(request, reply, error)
      }
    },
  })
}

/** Reads the token from the header or a form (RFC 6750 §2.1, §2.2). */
const tokenOf = ({ headers, body }: FastifyRequest) =>
  headers.authorization === undefined && typeof body === 'string'
    ? body
    : bearerToken(headers.authorization)

/** Error for a valid token without the scope `openid`. */
function insufficientScope() {
  const refusal = new ApiError('AUTH_FORBIDDEN', { code: 'token.no_openid' })
  refusal.headers['www-authenticate'] =
    `Bearer realm="mokuroku", error="insufficient_scope", error_description="${refusal.message}", scope="openid"`
  return refusal
}

const headersOf = (request: FastifyRequest) => ({
  ...protocolHeaders(request, true),
  'cache-control': 'no-store',
})

/** Sends an error as a challenge (RFC 6750 §3.1), as relying parties expect here. */
function sendBearerError(request: FastifyRequest, reply: FastifyReply, error: ApiError) {
  const message =
    error.status === 403
      ? error.code === 'USER_BANNED'
        ? 'access_denied'
        : 'insufficient_scope'
      : 'invalid_token'
  return reply
    .status(error.status)
    .headers({ ...headersOf(request), ...error.headers })
    .send({ error: message, error_description: error.message })
}
