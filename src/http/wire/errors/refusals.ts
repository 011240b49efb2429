import { ApiError, type RefusalReason } from './errors.ts'
import type { Fault, RequestFault } from './fault.ts'
import { resetSeconds, type RateLimitWindow } from './rate-limit.ts'

/**
 * Refusals of the API. Routes throw them, and the OpenAPI document shows them as examples. Those of single features are
 * in feature-refusals.ts.
 */

const badRequest = (
  code: RefusalReason['code'],
  status = 400,
  params: RefusalReason['params'] = {},
) => new ApiError('COMMON_BAD_REQUEST', { code, params }, { status })

// Malformed requests

export const notHttp = () => badRequest('request.not_http')
export const requestTimeout = () => badRequest('request.timeout', 408)
export const headersTooLarge = () => badRequest('request.headers_too_large', 431)

export const missingHost = () => badRequest('request.no_host')
export const ambiguousHeader = (name: string) =>
  badRequest('request.ambiguous_header', 400, { name })
export const unknownExpectation = () => badRequest('request.expectation', 417)

export const badEncoding = () => badRequest('request.encoding')
export const wrongLength = () => badRequest('body.wrong_length')
export const notUtf8 = () => badRequest('body.not_utf8')
export const notJson = () => badRequest('body.not_json')
export const emptyBody = () => badRequest('body.empty')

/** Default maximum size of a body in bytes. */
export const MAX_BODY_BYTES = 64 * 1024

/** @param limit in bytes, a whole number of KiB */
export const bodyTooLarge = (limit = MAX_BODY_BYTES) =>
  badRequest('body.too_large', 413, { kib: limit / 1024 })

export const unsupportedType = () => badRequest('body.type', 415)

/** @param allow value of the `Allow` header */
export const methodNotAllowed = (method: string, allow: string) =>
  new ApiError(
    'COMMON_BAD_REQUEST',
    { code: 'request.method', params: { method, allowed: allow } },
    { status: 405, headers: { allow } },
  )

/** Other 4xx errors from Fastify, with Fastify's message. */
export const otherBadRequest = (message: string, status: number) =>
  badRequest('request.other', status, { message })

// Forms

export const formTooLarge = () => badRequest('form.too_large', 413)
export const unreadableForm = () => badRequest('form.unreadable')
export const tooManyFormFields = () => badRequest('form.too_many_fields', 413)

// Authentication and authorization

const challenge = (error: string, description: string) =>
  `Bearer realm="mokuroku", error="${error}", error_description="${description}"`

export const unauthenticated = (code: RefusalReason['code'] = 'token.none') =>
  new ApiError(
    'AUTH_UNAUTHENTICATED',
    { code },
    { headers: { 'www-authenticate': 'Bearer realm="mokuroku"' } },
  )

/** The token is valid but belongs to no user. */
export const noUserToken = () => unauthenticated('token.not_of_user')

/** @param code reason, as far as the caller may learn it */
export function invalidToken(code: RefusalReason['code'] = 'token.invalid', cause?: unknown) {
  const refusal = new ApiError('AUTH_TOKEN_INVALID', { code }, { cause })
  refusal.headers['www-authenticate'] = challenge('invalid_token', refusal.message)
  return refusal
}

export const malformedToken = () => invalidToken('token.malformed')

/** The token is valid but its user is banned. */
export const banned = () => new ApiError('USER_BANNED', { code: 'token.banned' })

/** @param scope a scope that would be sufficient */
export function insufficientScope(scope: string) {
  const reason = { code: 'token.lacks_scope', params: { scope } } as const
  const refusal = new ApiError('AUTH_FORBIDDEN', reason, { details: { required_scope: scope } })
  refusal.headers['www-authenticate'] =
    `${challenge('insufficient_scope', refusal.message)}, scope="${scope}"`
  return refusal
}

export function rateLimited(window: RateLimitWindow) {
  const seconds = resetSeconds(window)
  return new ApiError(
    'COMMON_RATE_LIMITED',
    { code: 'rate.exceeded', params: { limit: window.limit, seconds } },
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )
}

// Missing resources

export const notFound = (code: RefusalReason['code'] = 'missing.resource') =>
  new ApiError('COMMON_NOT_FOUND', { code })
export const noSuchPath = () => notFound('missing.address')

/** @param mergedInto id of the entry that replaces it */
export const merged = (mergedInto: number) =>
  new ApiError(
    'WIKI_RESOURCE_MERGED',
    { code: 'entry.merged', params: { id: mergedInto } },
    { details: { merged_into: mergedInto } },
  )

// Invalid values

/**
 * Maximum number of fields that the message names, and maximum length of each name in characters. A body may hold
 * thousands of fields of any length.
 */
const MAX_NAMED_FIELDS = 5
const MAX_NAME_LENGTH = 60

/** Maximum number of entries in `field_errors`. Even a small body may hold thousands of invalid fields. */
const MAX_FIELD_ERRORS = 100

/**
 * Creates the refusal for invalid fields. The message counts and names them; `field_errors` explains the first hundred.
 */
export const validationError = (faults: RequestFault[]) =>
  new ApiError('COMMON_VALIDATION_FAILED', invalidFieldsReason(faults), {
    faults: faults.slice(0, MAX_FIELD_ERRORS),
  })

function invalidFieldsReason(faults: RequestFault[]): RefusalReason {
  const fields = [...new Set(faults.map(({ field }) => field))]
  const names = fields
    .slice(0, MAX_NAMED_FIELDS)
    .map((name) =>
      name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name,
    )
    .join(', ')
  const count = fields.length
  if (count === 0) return { code: 'fields.none' }
  if (count === 1) return { code: 'fields.one', params: { name: names } }
  return count > MAX_NAMED_FIELDS
    ? { code: 'fields.many', params: { count, names, others: count - MAX_NAMED_FIELDS } }
    : { code: 'fields.several', params: { count, names } }
}

/** @param values allowed values of the field */
export const notOneOf = (field: string, values: readonly string[]) =>
  validationError([{ field, kind: 'enum', ...enumFault(values) }])

export const enumFault = (values: readonly unknown[]): Fault => ({
  code: 'schema.enum',
  params: { values: values.map(String).join(', ') },
})

export const requiredField = (field: string) =>
  validationError([{ field, kind: 'required', code: 'schema.required' }])

export const badPage = () =>
  validationError([
    { field: 'page', kind: 'minimum', code: 'schema.minimum', params: { limit: 1 } },
  ])

// Failures of the service

/** Internal error. The caller learns only the request id, by which the operator can find the error in the log. */
export const unexpected = (cause?: unknown) =>
  new ApiError('COMMON_UNEXPECTED_ERROR', { code: 'service.unexpected' }, { cause })

export const unavailable = (cause?: unknown) =>
  new ApiError(
    'COMMON_SERVICE_UNAVAILABLE',
    { code: 'service.unavailable' },
    { retryable: true, headers: { 'retry-after': '5' }, cause },
  )
