import type { FastifySchema } from 'fastify'
import { banned, insufficientScope, invalidToken, unauthenticated } from '../admission/bearer.ts'
import { ApiError, unavailable } from '../wire/errors.ts'
import { errorResponse } from '../wire/schemas.ts'
import { rateLimited } from '../admission/throttle.ts'

/** An operation of what users do with a user-level token, as the OpenAPI document tells it. */
export type Operation = {
  tag: string
  operationId: string
  summary: string
  description?: string
  /** Which of the document's security schemes. */
  by: 'user' | 'developer'
  scope: string
  success: Record<number, object>
  /** What is said when what the path names is not there. */
  missing?: Record<string, ApiError>
  takesBody?: boolean
  /** What is said of parameters or of a body that are wrong. */
  faults?: Record<string, ApiError>
  more?: Record<number, object>
  /** The second family of paths is not told of in the document (decision 0002). */
  documented?: boolean
}

const WINDOW = { limit: 60, remaining: 0, resetMs: 12_000, exceeded: true }

/** What an operation answers, with the refusals it really gives. */
export function documentOperation(operation: Operation): FastifySchema {
  const { tag, operationId, summary, description, by, scope, success, more = {} } = operation
  const { missing, takesBody = false, faults, documented = true } = operation
  return {
    tags: [tag],
    ...(documented ? { operationId } : { hide: true }),
    summary,
    ...(description !== undefined && { description }),
    security: [{ [by]: [scope] }],
    response: {
      ...success,
      401: errorResponse('No good user-level token', {
        missing: unauthenticated(),
        application: unauthenticated(
          'This needs a token of a user (§5.2), and that is an application token.',
        ),
        invalid: invalidToken(),
      }),
      403: errorResponse('Not with this token', { scope: insufficientScope(scope), banned: banned() }),
      405: errorResponse('Another method', {
        method: badRequest('PUT is not possible here; GET, HEAD, POST, OPTIONS are.', 405),
      }),
      ...((takesBody || missing) && { 400: badRequests(takesBody, missing !== undefined) }),
      ...(missing && { 404: errorResponse('There is no such thing for this user', missing) }),
      ...more,
      ...(takesBody && bodyResponses()),
      ...(faults && {
        422: errorResponse('Everything that is wrong is named, and nothing is done', faults),
      }),
      429: errorResponse('Too many requests of this user', { limited: rateLimited(WINDOW) }),
      500: errorResponse('A fault of ours, logged', {
        fault: new ApiError(
          'COMMON_UNEXPECTED_ERROR',
          'Something went wrong on our side. It has been logged under the request id.',
        ),
      }),
      503: errorResponse('Briefly unavailable', { unavailable: unavailable() }),
    },
  }
}

const badRequest = (message: string, status = 400) => new ApiError('COMMON_BAD_REQUEST', message, { status })

const badRequests = (takesBody: boolean, named: boolean) =>
  errorResponse('What was sent cannot be read', {
    ...(takesBody && { notJson: badRequest('The body is not valid JSON.') }),
    ...(named && { encoding: badRequest('The address is not correctly percent-encoded.') }),
  })

const bodyResponses = () => ({
  413: errorResponse('The body is too large', {
    tooLarge: badRequest('The body is larger than 64 KiB.', 413),
  }),
  415: errorResponse('The body is of another type', {
    type: badRequest('Send the body as application/json.', 415),
  }),
})
