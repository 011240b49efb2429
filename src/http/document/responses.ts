import { Type, type TSchema } from 'typebox'
import { failureEnvelope } from '../wire/errors/envelope.ts'
import type { ApiError } from '../wire/errors/errors.ts'
import { ErrorEnvelope, Ref } from '../wire/schemas.ts'

const header = (description: string, type: TSchema = Type.String()) => ({ ...type, description })

const REQUEST_ID = 'b1946ac92492-1'
const TIMESTAMP = '2026-11-21T09:30:00.000Z'

export const THROTTLE_HEADERS = {
  'X-RateLimit-Limit': header('Requests per minute', Type.Integer()),
  'X-RateLimit-Remaining': header('Requests left in this window', Type.Integer()),
  'X-RateLimit-Reset': header('Seconds until the next window', Type.Integer()),
}

export const ETAG_HEADER = { ETag: header('Strong, derived from `data` alone') }
export const RETRY_AFTER = { 'Retry-After': header('Whole seconds to wait', Type.Integer()) }

const LIST_HEADERS = {
  'X-Total-Count': header('Length of the whole list', Type.Integer()),
  Link: header('RFC 8288: `first`, `prev`, `next`, `last`; only if a page was requested'),
}

/**
 * Returns the OpenAPI response object for all refusals with one status, each with its actual body as an example.
 *
 * @param refusals keyed by name; the name of the response component is built from these names
 */
export const errorResponse = (
  description: string,
  refusals: Record<string, ApiError>,
  headers: object = {},
) => ({
  description,
  headers,
  content: {
    'application/json': {
      schema: Ref(ErrorEnvelope),
      examples: Object.fromEntries(
        Object.entries(refusals).map(([name, error]) => [
          name,
          { value: { ...failureEnvelope(error, REQUEST_ID), timestamp: TIMESTAMP } },
        ]),
      ),
    },
  },
})

export type SuccessOptions = {
  description: string
  /** Example of `data`. */
  example?: unknown
  /** Further examples of `data`, keyed by name. */
  otherExamples?: Record<string, unknown> | undefined
  /** Whether clients may cache the response and revalidate it by ETag. */
  cacheable: boolean
  /** Whether the response includes the headers of a paginated list. */
  isList: boolean
}

/**
 * Returns a successful response with its headers.
 *
 * @param success schema of a JSON body, or a whole response with its own `content`
 */
export function successResponse(status: number, success: object, options: SuccessOptions) {
  const { description, example, otherExamples = {}, cacheable, isList } = options
  const headers = {
    ...(cacheable && ETAG_HEADER),
    'X-Request-Id': header('Request id, also in the body'),
    ...THROTTLE_HEADERS,
    ...(isList && LIST_HEADERS),
    ...(status === 201 && { Location: header('Path of the created resource') }),
    ...('headers' in success && typeof success.headers === 'object' && success.headers),
  }
  if (status === 204) return { description, headers, type: 'null' }
  if ('content' in success) return { description, ...success, headers }
  const responseWith = (data: unknown) => ({
    value: { success: true, data, request_id: REQUEST_ID, timestamp: TIMESTAMP },
  })
  const all = { ...(example !== undefined && { sample: example }), ...otherExamples }
  const values = Object.entries(all).map(([name, data]) => [name, responseWith(data)])
  const examples = values.length === 0 ? {} : { examples: Object.fromEntries(values) }
  return { description, headers, content: { 'application/json': { schema: success, ...examples } } }
}

/** Returns the 304 response, sent if `If-None-Match` names the current ETag. */
export const notModifiedResponse = () => ({
  description: 'The version in `If-None-Match` is current',
  headers: THROTTLE_HEADERS,
  type: 'null',
})
