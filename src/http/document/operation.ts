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

/** Declaration of a route. Refusals that follow from it are documented automatically. */
export type Operation = {
  tag: string
  operationId: string
  summary: string
  description?: string
  /** Same as in the route's `config`. */
  access: 'anonymous' | 'catalog' | 'user' | 'developer'
  /** Same as in the route's `config`. Defaults to `catalog:read` for the catalog. */
  scope?: string
  /** Path parameters. They imply 400 for bad encoding and 404. */
  params?: TObject
  querystring?: TObject
  /** Implies 400 (unreadable), 413 (too large), 415 (wrong type) and 422 (invalid). */
  body?: object
  /** Whether the method may carry a body that the route ignores. An unreadable one is still rejected. */
  ignoresBody?: boolean
  /** Schema of the response body or a whole response, by status. */
  success: Record<number, object>
  /** Example of `data`. */
  example?: unknown
  /** Further examples of `data`, by name. */
  otherExamples?: Record<string, unknown>
  /** Whether clients may cache the response and revalidate it by ETag (304). */
  cacheable?: boolean
  /** Whether the response has the headers of a paginated list. */
  isList?: boolean
  /** Refusals for a missing resource (404), by name. */
  missing?: Record<string, ApiError>
  /** Refusals of invalid parameters or of an invalid body (422), by name. The refusal of `page` is implied. */
  faults?: Record<string, ApiError>
  /** Refusals caused by the current state (409), by name. */
  conflicts?: Record<string, ApiError>
  /** Further responses, by status. */
  more?: Record<number, object>
}

/**
 * Returns the schema of a route with all its responses.
 *
 * @throws {Error} if it validates parameters or a body but names no refusal of invalid ones, or the reverse
 */
export function operation(declared: Operation): FastifySchema {
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
        Object.entries(success).map(([status, answer]) => [
          status,
          successResponse(Number(status), answer, options),
        ]),
      ),
      ...(cacheable && { 304: notModifiedResponse() }),
      ...refusals(declared, scope),
      ...more,
    },
  }
}

/** Returns the route options of an operation: its schema, and the access rules that the guard enforces. */
export const documentedRoute = (declared: Operation) => ({
  config: {
    access: declared.access,
    ...(declared.scope !== undefined && { scope: declared.scope }),
  },
  schema: operation(declared),
})

/** Security schemes of the document, by access. */
const SCHEMES = {
  anonymous: [],
  catalog: ['application', 'user'],
  user: ['user'],
  developer: ['developer'],
} as const

const WINDOW = { limit: 60, remaining: 0, resetMs: 42_000, exceeded: true }

/** Refusals of every operation. Responses that do not depend on the operation are created once. */
const OF_ALL = {
  405: errorResponse('The address does not take this method', {
    methodNotAllowed: methodNotAllowed('TRACE', 'GET, HEAD, OPTIONS'),
  }),
  429: errorResponse(
    'Too many requests',
    { rateLimited: rateLimited(WINDOW) },
    { ...RETRY_AFTER, ...THROTTLE_HEADERS },
  ),
  500: errorResponse('A fault of ours, logged', { unexpected: unexpected() }),
  503: errorResponse('Briefly unavailable', { unavailable: unavailable() }, RETRY_AFTER),
}

const OF_BODIES = {
  413: errorResponse('The body is too large', { bodyTooLarge: bodyTooLarge() }),
  415: errorResponse('The body is of another type', { unsupportedType: unsupportedType() }),
}

const noGoodToken = (more: Record<string, ApiError>) =>
  errorResponse('No token, or none that is valid', {
    unauthenticated: unauthenticated(),
    ...more,
    invalidToken: invalidToken(),
  })
const OF_ANY_TOKEN = noGoodToken({})
const OF_USER_TOKENS = noGoodToken({ noUserToken: noUserToken() })

const unreadable = (faults: Record<string, ApiError>) =>
  errorResponse('The request cannot be read', faults)
const OF_UNREADABLE = {
  body: unreadable({ notJson: notJson() }),
  path: unreadable({ badEncoding: badEncoding() }),
  both: unreadable({ notJson: notJson(), badEncoding: badEncoding() }),
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
    throw new Error(`${operationId} must name refusals of what it validates, and of nothing else`)
  return {
    ...((params ?? readsBody) && {
      400: OF_UNREADABLE[params && readsBody ? 'both' : params ? 'path' : 'body'],
    }),
    ...(access !== 'anonymous' && {
      401: access === 'catalog' ? OF_ANY_TOKEN : OF_USER_TOKENS,
      403: errorResponse('This token may not do it', {
        [`lacks:${scope}`]: insufficientScope(scope),
        banned: banned(),
      }),
    }),
    ...(params && { 404: errorResponse('Not there, or not for this caller', missing) }),
    ...(conflicts && { 409: errorResponse('Not possible as things are', conflicts) }),
    ...(readsBody && OF_BODIES),
    ...(isValidated && {
      422: errorResponse('Everything that is wrong is named, and nothing is done', faults),
    }),
    ...OF_ALL,
  }
}
