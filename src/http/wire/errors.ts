/** Every code an answer may carry (decision 0002), with its status. */
const ERROR_STATUS = {
  COMMON_BAD_REQUEST: 400,
  AUTH_UNAUTHENTICATED: 401,
  AUTH_TOKEN_INVALID: 401,
  AUTH_FORBIDDEN: 403,
  USER_BANNED: 403,
  COMMON_NOT_FOUND: 404,
  WIKI_RESOURCE_MERGED: 404,
  COMMON_CONFLICT: 409,
  COMMON_VALIDATION_FAILED: 422,
  DEVELOPER_APP_LIMIT_EXCEEDED: 422,
  COMMON_RATE_LIMITED: 429,
  COMMON_UNEXPECTED_ERROR: 500,
  COMMON_SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS
// as: the keys of that very table
export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[]

export type FieldError = { field: string; message: string; code?: string }

export type ErrorOptions = {
  /** Where one code stands for several statuses: 405, 406, 413, 414, 415 with `COMMON_BAD_REQUEST`. */
  status?: number
  fieldErrors?: FieldError[]
  details?: Record<string, unknown>
  /** Whether the same request may succeed later. */
  retryable?: boolean
  headers?: Record<string, string>
  cause?: unknown
}

/**
 * A refusal the caller may see. Anything else that is thrown is answered with `COMMON_UNEXPECTED_ERROR`.
 *
 * It has no stack: it is an answer and never logged as a fault, the document makes hundreds of them at every start, and
 * walking the stack is most of what one costs.
 */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly status: number
  readonly fieldErrors: FieldError[] | undefined
  readonly details: Record<string, unknown> | undefined
  readonly retryable: boolean | undefined
  readonly headers: Record<string, string>
  /** The app that was refused, where nothing else tells it, and the true reason: for its developer, never for the caller. */
  about: { clientId: string; reason?: string } | undefined

  /** @param message what is wrong and what to do, for a developer to read */
  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, { cause: options.cause })
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.status = options.status ?? ERROR_STATUS[code]
    this.fieldErrors = options.fieldErrors
    this.details = options.details
    this.retryable = options.retryable
    this.headers = options.headers ?? {}
  }
}
