import type { FastifySchema } from 'fastify'
import { Type, type TObject, type TSchema } from 'typebox'
import { insufficientScope, invalidToken, unauthenticated } from '../http/admission/bearer.ts'
import { ApiError, notFound, unavailable } from '../http/wire/errors.ts'
import { Envelope, errorResponse } from '../http/wire/schemas.ts'
import { rateLimited } from '../http/admission/throttle.ts'
import { validationFailed } from '../http/wire/validation.ts'

const header = (description: string, type: TSchema = Type.String()) => ({ ...type, description })

const THROTTLE_HEADERS = {
  'X-RateLimit-Limit': header('Requests a minute', Type.Integer()),
  'X-RateLimit-Remaining': header('Requests left in this window', Type.Integer()),
  'X-RateLimit-Reset': header('Seconds until the next window', Type.Integer()),
}

type CatalogOperation = {
  tag: string
  operationId: string
  summary: string
  documented: boolean
  params?: TObject
  querystring?: TObject
  response: object
}

/** An operation on the catalog; of its two addresses the document has the first. */
export const catalogOperation = ({
  tag,
  operationId,
  summary,
  documented,
  ...shapes
}: CatalogOperation): FastifySchema => ({
  tags: [tag],
  ...(documented ? { operationId } : { hide: true }),
  summary,
  security: [{ application: ['catalog:read'] }, { user: ['catalog:read'] }],
  ...shapes,
})

type Success = {
  summary: string
  example: unknown
  list?: boolean
  /** Whether a client may keep it, by its ETag. */
  cacheable?: boolean
}

/** A successful answer: the envelope with an example, and the headers that come with it. */
export function okResponse(data: TSchema, { summary, example, list = false, cacheable = true }: Success) {
  const value = {
    success: true,
    data: example,
    request_id: 'b1946ac92492-1',
    timestamp: '2026-11-21T09:30:00.000Z',
  }
  return {
    description: summary,
    headers: {
      ...(cacheable && { ETag: header('Strong, over `data`') }),
      'X-Request-Id': header('Also in the body'),
      ...THROTTLE_HEADERS,
      ...(list && {
        'X-Total-Count': header('Length of the whole list', Type.Integer()),
        Link: header('RFC 8288: first, prev, next, last; when a page was asked for'),
      }),
    },
    content: { 'application/json': { schema: Envelope(data), examples: { sample: { value } } } },
  }
}

type Others = {
  validated: boolean
  /** Answers to parameters that are wrong. */
  faults?: Record<string, ApiError>
  /** What the route asks for. */
  scope?: string
  /** Whether its path names an entry. */
  named?: boolean
  /** Whether a client may keep the answer, by its ETag. */
  cacheable?: boolean
}

/** Every other answer of a catalog route; each refusal with what it really says. */
export function otherResponses(others: Others) {
  const { validated, scope = 'catalog:read', named = true, cacheable = true } = others
  const { faults = { page: badPage() } } = others
  const tooMany = { limit: 60, remaining: 0, resetMs: 42_000, exceeded: true }
  return {
    ...(cacheable && {
      304: {
        description: 'What the client has (`If-None-Match`) is current',
        headers: THROTTLE_HEADERS,
        type: 'null',
      },
    }),
    ...(named && {
      400: errorResponse('The address is not correctly encoded', {
        encoding: new ApiError('COMMON_BAD_REQUEST', 'The address is not correctly percent-encoded.'),
      }),
      404: errorResponse('No such entry, hidden from this scope, or merged', {
        missing: notFound(),
        merged: new ApiError('WIKI_RESOURCE_MERGED', 'This entry was merged into 42.', {
          details: { merged_into: 42 },
        }),
      }),
    }),
    401: errorResponse('No token, or one that is not good', {
      'no token': unauthenticated(),
      'bad token': invalidToken(),
    }),
    403: errorResponse('The token lacks the scope', { scope: insufficientScope(scope) }),
    405: errorResponse('Another method', {
      method: new ApiError('COMMON_BAD_REQUEST', 'POST is not possible here; GET, HEAD, OPTIONS are.', {
        status: 405,
      }),
    }),
    ...(validated && {
      422: errorResponse('A parameter is out of range', faults),
    }),
    429: errorResponse(
      'More requests than the window allows',
      { throttled: rateLimited(tooMany) },
      { 'Retry-After': header('Whole seconds', Type.Integer()), ...THROTTLE_HEADERS },
    ),
    500: errorResponse('A fault of ours, logged', {
      fault: new ApiError(
        'COMMON_UNEXPECTED_ERROR',
        'Something went wrong on our side. It has been logged under the request id.',
      ),
    }),
    503: errorResponse(
      'Briefly unavailable',
      { unavailable: unavailable() },
      { 'Retry-After': header('Whole seconds', Type.Integer()) },
    ),
  }
}

const badPage = () =>
  validationFailed([
    { instancePath: '/page', keyword: 'minimum', params: {}, message: 'must be >= 1', schemaPath: '' },
  ])
