/** The client may read these of an answer from another origin (decision 0002). */
const EXPOSED = [
  'Content-Disposition',
  'ETag',
  'Link',
  'Location',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Total-Count',
  'WWW-Authenticate',
].join(', ')

/** On every answer of the APIs: readable from any origin without credentials, and never taken for a page. */
export const API_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'x-content-type-options': 'nosniff',
} as const

/** The answer to a browser that asks whether it may send a request with a bearer token. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type, If-None-Match, X-Request-Id',
  'access-control-max-age': '86400',
} as const

/** `Cache-Control` of URLs whose content never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
