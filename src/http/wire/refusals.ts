import { ApiError, type FieldError } from './errors.ts'
import { resetSeconds, type RateLimitWindow } from './rate-limit.ts'

/**
 * Everything the API may refuse: the routes throw these, and the OpenAPI document shows them as they are. What only one
 * feature refuses stands in feature-refusals.ts.
 */

const badRequest = (message: string, status = 400) => new ApiError('COMMON_BAD_REQUEST', message, { status })

// What was sent is not HTTP, or not a request the API takes.

export const notHttp = () => badRequest('The request is not valid HTTP.')
export const requestTimeout = () => badRequest('The request took too long to arrive.', 408)
export const headersTooLarge = () =>
  badRequest('The address and headers are larger than 16 KiB together.', 431)

export const missingHost = () => badRequest('The request has no Host header.')
export const ambiguousHeader = (name: string) => badRequest(`The request has more than one ${name} header.`)
export const unknownExpectation = () => badRequest('The only expectation that is met is 100-continue.', 417)

export const badEncoding = () => badRequest('The address is not correctly percent-encoded.')
export const wrongLength = () => badRequest('Request body size did not match Content-Length')
export const notUtf8 = () => badRequest('The body is not UTF-8.')
export const notJson = () => badRequest('The body is not valid JSON.')
export const emptyBody = () => badRequest('The body is empty: send a JSON object.')

/** Bytes of a body, where a route does not say otherwise. */
export const MAX_BODY_BYTES = 64 * 1024

/** @param limit in bytes, a whole number of KiB */
export const bodyTooLarge = (limit = MAX_BODY_BYTES) =>
  badRequest(`The body is larger than ${limit / 1024} KiB.`, 413)

export const unsupportedType = () => badRequest('Send the body as application/json.', 415)

/** @param allow the methods there are, as the `Allow` header lists them */
export const methodNotAllowed = (method: string, allow: string) =>
  new ApiError('COMMON_BAD_REQUEST', `${method} is not possible here; ${allow} are.`, {
    status: 405,
    headers: { allow },
  })

/** What Fastify refuses in words that the library has for it. */
export const otherBadRequest = (message: string, status: number) => badRequest(message, status)

// Who sent it may not.

const challenge = (error: string, description: string) =>
  `Bearer realm="mokuroku", error="${error}", error_description="${description}"`

export const unauthenticated = (message = 'Send an access token: `Authorization: Bearer <ACCESS_TOKEN>`.') =>
  new ApiError('AUTH_UNAUTHENTICATED', message, {
    headers: { 'www-authenticate': 'Bearer realm="mokuroku"' },
  })

/** The token is good, and no user's. */
export const noUserToken = () =>
  unauthenticated('This needs a token of a user, and that is an application token.')

export const invalidToken = (
  message = 'The access token is invalid, expired or revoked. Get a new one.',
  cause?: unknown,
) =>
  new ApiError('AUTH_TOKEN_INVALID', message, {
    headers: { 'www-authenticate': challenge('invalid_token', message) },
    cause,
  })

export const malformedToken = () => invalidToken('The access token is malformed.')

/** The token is good, its user is not welcome. */
export const banned = () => new ApiError('USER_BANNED', 'The account this token was issued for is banned.')

/** @param scope one that would have been enough */
export function insufficientScope(scope: string) {
  const message = `The access token lacks the scope ${scope}.`
  return new ApiError('AUTH_FORBIDDEN', message, {
    details: { required_scope: scope },
    headers: { 'www-authenticate': `${challenge('insufficient_scope', message)}, scope="${scope}"` },
  })
}

export function rateLimited(window: RateLimitWindow) {
  const seconds = resetSeconds(window)
  return new ApiError(
    'COMMON_RATE_LIMITED',
    `More than ${window.limit} requests in a minute. Wait ${seconds} seconds.`,
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )
}

// What it names is not there.

export const notFound = (message = 'There is no such resource.') => new ApiError('COMMON_NOT_FOUND', message)
export const noSuchAddress = () => notFound('There is no such address.')

/** @param mergedInto the id of the entry that took over */
export const merged = (mergedInto: number) =>
  new ApiError('WIKI_RESOURCE_MERGED', `This entry was merged into ${mergedInto}.`, {
    details: { merged_into: mergedInto },
  })

// What it says is wrong.

/** Fields the message of a refusal names, and characters of a name: a body may hold thousands, of any length. */
const MAX_NAMED = 5
const MAX_NAME = 60

/** Maximum entries of `field_errors`: a small body may hold thousands of wrong fields. */
const MAX_FIELD_ERRORS = 100

/** Creates the refusal of invalid fields. The message counts and names them; `field_errors` explains the first hundred. */
export const validationError = (faults: FieldError[]) =>
  new ApiError('COMMON_VALIDATION_FAILED', whichAreWrong(faults), {
    fieldErrors: faults.slice(0, MAX_FIELD_ERRORS),
  })

function whichAreWrong(faults: FieldError[]) {
  const fields = [...new Set(faults.map(({ field }) => field))]
  const names = fields
    .slice(0, MAX_NAMED)
    .map((name) => (name.length > MAX_NAME ? `${name.slice(0, MAX_NAME).toWellFormed()}…` : name))
    .join(', ')
  if (fields.length === 0) return 'The request is not valid.'
  if (fields.length === 1) return `${names} is not valid.`
  const others = fields.length > MAX_NAMED ? ` and ${fields.length - MAX_NAMED} more` : ''
  return `${fields.length} fields are not valid: ${names}${others}.`
}

/** A field that breaks a rule no schema can state. */
export const ruleFault = (field: string, message: string): FieldError => ({ field, message, code: 'rule' })

/** @param values the field may have */
export const notOneOf = (field: string, values: readonly string[]) =>
  validationError([{ field, message: `must be one of ${values.join(', ')}`, code: 'enum' }])

export const badPage = () =>
  validationError([{ field: 'page', message: 'must be at least 1', code: 'minimum' }])

// We cannot.

/** A fault of ours: the caller is told no more than where to find it in the log. */
export const unexpected = (cause?: unknown) =>
  new ApiError(
    'COMMON_UNEXPECTED_ERROR',
    'Something went wrong on our side. It has been logged under the request id.',
    { cause },
  )

export const unavailable = (cause?: unknown) =>
  new ApiError('COMMON_SERVICE_UNAVAILABLE', 'The service is briefly unavailable. Try again in a moment.', {
    retryable: true,
    headers: { 'retry-after': '5' },
    cause,
  })
