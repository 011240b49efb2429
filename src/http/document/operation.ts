import type { FastifySchema } from 'fastify'
import type { TObject } from 'typebox'
import type { ApiError } from '../wire/errors/errors.ts'
import {
  badEncoding,
  badPage,
  banned,
  bodyTooLarge,
  insufficientScope,
  invalidToken,
  methodNotAllowed,
  notFound,
  noUserToken,
  notJson,
  rateLimited,
  unauthenticated,
  unavailable,
  unexpected,
  unsupportedType,
} from '../wire/errors/refusals.ts'
import {
  errorResponse,
  notModifiedResponse,
  RETRY_AFTER,
  successResponse,
  THROTTLE_HEADERS,
} from './responses.ts'

/** Declaration of a route. Refusals that follow from the declaration are documented automatically. */
export type Operation = {
  tag: string
  operationId: string
  summary: string
  description?: string
  access: 'anonymous' | 'catalog' | 'user' | 'developer'
  /** Defaults to `catalog:read` for the catalog. */
  scope?: string
  /** Path parameters. They imply 400 for bad encoding and 404. */
  params?: TObject
  querystring?: TObject
  /** Implies 400 (malformed), 413 (too large), 415 (wrong type) and 422 (invalid). */
  body?: object
  /** Whether the request may have a body that the route ignores. An unreadable body is still rejected. */
  ignoresBody?: boolean
  /** Schema of the response body or a whole response, keyed by status. */
  success: Record<number, object>
  /** Example of `data`. */
  example?: unknown
  /** Further examples of `data`, keyed by name. */
  otherExamples?: Record<string, unknown>
  /** Whether clients may cache the response and revalidate it by ETag (304). */
  cacheable?: boolean
  /** Whether the response includes the headers of a paginated list. */
  isList?: boolean
  /** Refusals for a missing resource (404), keyed by name. */
  missing?: Record<string, ApiError>
  /** Refusals for invalid parameters or an invalid body (422), keyed by name. The refusal for `page` is implied. */
  faults?: Record<string, ApiError>
  /** Refusals caused by the current state (409), keyed by name. */
  conflicts?: Record<string, ApiError>
  /** Further responses, keyed by status. */
  more?: Record<number, object>
}

/**
 * Returns the route options of an operation: its schema with all its responses, and the access rules that the guard
 * enforces.
 *
 * @throws {Error} if the route validates parameters or a body but names no refusal for invalid ones, or if it names a
 * refusal without validating
 */
export const documentedRoute = (declared: Operation) => ({
  config: {
    access: declared.access,
    ...(declared.scope !== undefined && { scope: declared.scope }),
  },
  schema: schemaOf(declared),
})

function schemaOf(declared: Operation): FastifySchema {
  const { tag, operationId, summary, description, access, scope = 'catalog:read', more } = declared
  const {
    params,
    querystring,
    body,
    success,
    example,
    cacheable = false,
    isList = false,
  } = declared
  const { otherExamples } = declared
  const options = { description: summary, example, otherExamples, cacheable, isList }
  return {
    tags: [tag],
    operationId,
    summary,
    ...(description !== undefined && { description }),
    security: SCHEMES[access].map((scheme) => ({ [scheme]: [scope] })),
    ...(params && { params }),
    ...(querystring && { querystring }),
    ...(body && { body }),
    response: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, response]) => [
          status,
          successResponse(Number(status), response, options),
        ]),
      ),
      ...(cacheable && { 304: notModifiedResponse() }),
      ...refusals(declared, scope),
      ...more,
    },
  }
}

/** Security schemes of the document, keyed by access rule. */
const SCHEMES = {
  anonymous: [],
  catalog: ['application', 'user'],
  user: ['user'],
  developer: ['developer'],
} as const

const WINDOW = { limit: 60, remaining: 0, resetMs: 42_000, exceeded: true }

/** Refusals of every operation. Responses that do not depend on the operation are created once. */
const COMMON_REFUSALS = {
  405: errorResponse('Method not allowed', {
    methodNotAllowed: methodNotAllowed('TRACE', 'GET, HEAD, OPTIONS'),
  }),
  429: errorResponse(
    'Too many requests',
    { rateLimited: rateLimited(WINDOW) },
    { ...RETRY_AFTER, ...THROTTLE_HEADERS },
  ),
  500: errorResponse('Internal error', { unexpected: unexpected() }),
  503: errorResponse('Temporarily unavailable', { unavailable: unavailable() }, RETRY_AFTER),
}

const BODY_REFUSALS = {
  413: errorResponse('The body is too large', { bodyTooLarge: bodyTooLarge() }),
  415: errorResponse('Unsupported content type', { unsupportedType: unsupportedType() }),
}

const tokenRefusals = (more: Record<string, ApiError>) =>
  errorResponse('Missing or invalid token', {
    unauthenticated: unauthenticated(),
    ...more,
    invalidToken: invalidToken(),
  })
const ANY_TOKEN_REFUSALS = tokenRefusals({})
const USER_TOKEN_REFUSALS = tokenRefusals({ noUserToken: noUserToken() })

const malformed = (faults: Record<string, ApiError>) => errorResponse('Malformed request', faults)
const MALFORMED_REFUSALS = {
  body: malformed({ notJson: notJson() }),
  path: malformed({ badEncoding: badEncoding() }),
  both: malformed({ notJson: notJson(), badEncoding: badEncoding() }),
}

function refusals(declared: Operation, scope: string) {
  const { operationId, access, params, querystring, body, ignoresBody = false } = declared
  const { missing = { notFound: notFound() }, conflicts } = declared
  const readsBody = body !== undefined || ignoresBody
  const faults = {
    ...(querystring?.properties['page'] && { badPage: badPage() }),
    ...declared.faults,
  }
  const isValidated = (body ?? querystring) !== undefined
  if (isValidated !== Object.keys(faults).length > 0)
    throw new Error(
      `${operationId} must declare faults if and only if it validates parameters or a body`,
    )
  return {
    ...((params ?? readsBody) && {
      400: MALFORMED_REFUSALS[params && readsBody ? 'both' : params ? 'path' : 'body'],
    }),
    ...(access !== 'anonymous' && {
      401: access === 'catalog' ? ANY_TOKEN_REFUSALS : USER_TOKEN_REFUSALS,
      403: errorResponse('Insufficient scope, or a banned user', {
        [`lacks:${scope}`]: insufficientScope(scope),
        banned: banned(),
      }),
    }),
    ...(params && { 404: errorResponse('Not found, or not visible to the caller', missing) }),
    ...(conflicts && { 409: errorResponse('Conflict with the current state', conflicts) }),
    ...(readsBody && BODY_REFUSALS),
    ...(isValidated && {
      422: errorResponse('Invalid request. All faults are listed, and nothing was changed', faults),
    }),
    ...COMMON_REFUSALS,
  }
}
