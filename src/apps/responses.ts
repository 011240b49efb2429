import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { insufficientScope, invalidToken, banned, unauthenticated } from '../http/bearer.ts'
import { ApiError, notFound, unavailable } from '../http/errors.ts'
import { errorResponse } from '../http/schemas.ts'
import { rateLimited } from '../http/throttle.ts'
import { validationError } from '../http/validation.ts'

const WINDOW = { limit: 60, remaining: 0, resetMs: 12_000, exceeded: true }

const NOT_POSSIBLE = 'PUT is not possible here; GET, HEAD, POST, OPTIONS are.'
const FAULT = 'Something went wrong on our side. It has been logged under the request id.'

/** What every operation on apps answers beside its success, with the refusals it really gives. */
export function documentApps(
  operationId: string,
  summary: string,
  success: Record<number, object>,
  more: Record<number, object> = {},
): FastifySchema {
  return {
    tags: ['Developer apps'],
    operationId,
    summary,
    security: [{ developer: ['developer:apps'] }],
    response: {
      ...success,
      401: errorResponse('No good user-level token', {
        missing: unauthenticated(),
        application: unauthenticated(
          'This needs a token of a user (§5.2), and that is an application token.',
        ),
        invalid: invalidToken(),
      }),
      403: errorResponse('Not with this token', {
        scope: insufficientScope('developer:apps'),
        banned: banned(),
      }),
      405: errorResponse('Another method', {
        method: new ApiError('COMMON_BAD_REQUEST', NOT_POSSIBLE, { status: 405 }),
      }),
      ...more,
      ...(!/^(list|get)/.test(operationId) && bodyResponses()),
      ...(/^(create|update)/.test(operationId) && {
        422: fieldsResponse(operationId === 'createDeveloperApp'),
      }),
      429: errorResponse('Too many requests of this user', { limited: rateLimited(WINDOW) }),
      500: errorResponse('A fault of ours, logged', {
        fault: new ApiError('COMMON_UNEXPECTED_ERROR', FAULT),
      }),
      503: errorResponse('Briefly unavailable', { unavailable: unavailable() }),
    },
  }
}

/** The same for one app, named in the path. */
export const documentApp = (
  operationId: string,
  summary: string,
  success: Record<number, object>,
  more: Record<number, object> = {},
): FastifySchema => ({
  ...documentApps(operationId, summary, success, {
    ...more,
    400: errorResponse('The address is not correctly encoded', {
      encoding: new ApiError('COMMON_BAD_REQUEST', 'The address is not correctly percent-encoded.'),
    }),
    404: errorResponse('There is no such app, or it is somebody else’s', {
      missing: notFound('You have no such app.'),
    }),
  }),
  params: Type.Object({ client_id: Type.String() }),
})

/** The refusal to give a public app a secret. */
export const hasNoSecret = () =>
  new ApiError(
    'COMMON_CONFLICT',
    'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.',
  )

/** The refusal of one app more than an account may have. */
export const limitExceeded = (most: number) =>
  new ApiError('DEVELOPER_APP_LIMIT_EXCEEDED', `You have ${most} apps already. Delete one first.`, {
    details: { limit: most },
  })

const bodyResponses = () => ({
  400: errorResponse('The body is no JSON, or the address is not correctly encoded', {
    notJson: new ApiError('COMMON_BAD_REQUEST', 'The body is not valid JSON.'),
  }),
  413: errorResponse('The body is too large', {
    tooLarge: new ApiError('COMMON_BAD_REQUEST', 'The body is larger than 64 KiB.', { status: 413 }),
  }),
  415: errorResponse('The body is of another type', {
    type: new ApiError('COMMON_BAD_REQUEST', 'Send the body as application/json.', { status: 415 }),
  }),
})

const fieldsResponse = (creates: boolean) =>
  errorResponse('Every field that is wrong is named, and nothing is changed', {
    fields: validationError([
      { field: 'client_name', message: 'must have 1 to 64 characters', code: 'rule' },
      {
        field: 'scopes.0',
        message: 'status:write is granted by users: register a redirect URI first',
        code: 'rule',
      },
    ]),
    ...(creates && { limit: limitExceeded(20) }),
  })
