/** A request that was refused or failed. `code` says why; `message` is meant for people. */
export class MokurokuError extends Error {
  name = 'MokurokuError'
  fieldErrors = []
  details = {}
  retryable = false

  constructor(code, message, facts = {}) {
    super(message)
    this.code = code
    Object.assign(this, facts)
  }
}

/** Whether an error is a `MokurokuError`, and has the code if one is given. */
export const isMokurokuError = (error, code) =>
  error instanceof MokurokuError && (code === undefined || error.code === code)

/** Returns the error of a response: the API's envelope, an OAuth error or the response of a proxy. */
export function errorOf(response, text) {
  const { error, error_description, request_id } = parseJson(text) ?? {}
  const { status, headers } = response
  const facts = {
    status,
    requestId: request_id ?? headers.get('x-request-id') ?? undefined,
    retryAfter: secondsUntil(headers.get('retry-after')),
    retryable: error?.retryable ?? (status === 429 || (status > 501 && status < 505)),
  }
  if (typeof error === 'string') return new MokurokuError(error, error_description ?? error, facts)
  const { code = `HTTP_${status}`, message = `The server responded with ${status}.` } = error ?? {}
  const { field_errors: fieldErrors = [], details = {} } = error ?? {}
  return new MokurokuError(code, message, { ...facts, fieldErrors, details })
}

/** Parses JSON. Returns undefined for anything else. */
export function parseJson(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parses `Retry-After`: seconds, or a date. */
function secondsUntil(value) {
  if (!value) return undefined
  const seconds = Number(value)
  const wait = Number.isNaN(seconds) ? (Date.parse(value) - Date.now()) / 1000 : seconds
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
