import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressKey, type Throttle } from '../../../http/admission/throttle.ts'
import { resetSeconds, type RateLimitWindow } from '../../../http/wire/errors/rate-limit.ts'
import { refuse } from './protocol-responses.ts'

/** Maximum number of parameters in a query or form. The provider's parser takes quadratic time for repeated names. */
const MAX_PARAMETERS = 100
/**
 * Number of reads (keys, discovery, userinfo, unknown paths) allowed per client address for each allowed token request.
 */
const READS_PER_TOKEN_REQUEST = 10

/**
 * Limits the requests of this scope before the provider sees them. Each client address has one window for requests that
 * store rows or need a signature, and a larger one for reads; preflights are not counted. Queries and forms have a
 * parameter limit, and must not contain NUL where the provider stores them.
 */
export function limitRequests(
  app: FastifyInstance,
  throttle: Throttle,
  tokenRequestsPerMinute: number,
) {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.method === 'OPTIONS') return done()
    const settle = (window: RateLimitWindow) => {
      request.throttleWindow = window
      if (window.exceeded) refuseExceeded(request, reply, window)
      else done()
    }
    const key = addressKey(request.ip)
    const window =
      request.method === 'POST' || request.routeOptions.config.endpoint?.getWrites
        ? throttle(key, tokenRequestsPerMinute)
        : throttle(`read:${key}`, READS_PER_TOKEN_REQUEST * tokenRequestsPerMinute)
    if (window instanceof Promise) window.then(settle, done)
    else settle(window)
  })
  app.addHook('onRequest', (request, reply, done) => {
    // The provider reads everything after the first question mark, including further ones.
    const start = request.url.indexOf('?')
    checkParameters(request, reply, start < 0 ? '' : request.url.slice(start + 1), done)
  })
  app.addHook('preHandler', (request, reply, done) => {
    checkParameters(request, reply, typeof request.body === 'string' ? request.body : '', done)
  })
}

function checkParameters(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  done: () => void,
) {
  const error_description = faultOf(request, text)
  if (error_description === undefined) done()
  else refuse(request, reply, { status: 400, error: 'invalid_request', error_description })
}

/**
 * PostgreSQL cannot read NUL in stored JSON. A code or token with NUL is merely unknown: `invalid_grant` at the token
 * endpoint, and success when revoked (RFC 7009 §2.2).
 */
function faultOf({ routeOptions }: FastifyRequest, text: string): string | undefined {
  if (text.split('&').length > MAX_PARAMETERS) return `Send at most ${MAX_PARAMETERS} parameters.`
  const hasNul = text.includes('%00') || text.includes('\0')
  if (hasNul && routeOptions.config.endpoint?.storesParameters)
    return 'Parameters must not contain NUL characters.'
  return undefined
}

function refuseExceeded(request: FastifyRequest, reply: FastifyReply, window: RateLimitWindow) {
  const seconds = resetSeconds(window)
  refuse(request, reply, {
    status: 429,
    error: 'temporarily_unavailable',
    error_description: `Too many requests from this address. Wait ${seconds} seconds.`,
    headers: { 'retry-after': String(seconds) },
  })
}
