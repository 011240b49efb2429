/** Error codes of responses (decision 0002), each with its usual status. */
export const ERROR_STATUS = {
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
// as: these are the keys of the table above
export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[]
