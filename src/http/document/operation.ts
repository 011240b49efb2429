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

/** What a route declares of itself. Every refusal that follows from it is documented without being named. */
export type Operation = {
  tag: string
  operationId: string
  summary: string
  description?: string
  /** As in the `config` of the route. */
  access: 'anonymous' | 'catalog' | 'user' | 'developer'
  /** As in the `config` of the route; `catalog:read` where the catalog's says none. */
  scope?: string
  /** What its path names: it may be badly encoded (400) or not there (404). */
  params?: TObject
  querystring?: TObject
  /** It may be unreadable (400), too large (413), of another type (415) or wrong (422). */
  body?: object
  /** Its method may carry a body, which is read and ignored, and refused when it cannot be read. */
  ignoresBody?: boolean
  /** By status, the schema of the answer or a whole response. */
  success: Record<number, object>
  /** What `data` of the answer may be. */
  example?: unknown
  /** Other forms of it, by name. */
  otherExamples?: Record<string, unknown>
  /** Whether a client may keep the answer, by its ETag (304). */
  cacheable?: boolean
  /** Whether the answer is a list that may be read page by page, by the headers of it. */
  isList?: boolean
  /** The refusals when what the path names is not there, by name. */
  missing?: Record<string, ApiError>
  /** The refusals of parameters or of a body that are wrong, by name (422), beside that of `page`. */
  faults?: Record<string, ApiError>
  /** The refusals by what is there already, by name (409). */
  conflicts?: Record<string, ApiError>
  /** Responses that are not those of every route, by status. */
  more?: Record<number, object>
}

/**
 * The schema of a route with everything it answers.
 *
 * @throws {Error} when it takes parameters or a body and names no refusal of wrong ones, or the reverse
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

/** Route options of an operation: its schema, and the access rules that the guard enforces. */
export const documentedRoute = (declared: Operation) => ({
  config: {
    access: declared.access,
    ...(declared.scope !== undefined && { scope: declared.scope }),
  },
  schema: operation(declared),
})

/** The security schemes of the document, by who may call. */
const SCHEMES = {
  anonymous: [],
  catalog: ['application', 'user'],
  user: ['user'],
  developer: ['developer'],
} as const

const WINDOW = { limit: 60, remaining: 0, resetMs: 42_000, exceeded: true }

/** The refusals of every operation; they are made once, like all of them that no operation has a say in. */
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
