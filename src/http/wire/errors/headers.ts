/** Response headers that clients on other origins may read (decision 0002). */
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

/** Headers of every API response: readable from any origin without credentials, and never sniffed as HTML. */
export const API_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED,
  'x-content-type-options': 'nosniff',
} as const

/** Headers of the response to a preflight request. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers':
    'Authorization, Content-Type, If-Match, If-None-Match, Mcp-Method, Mcp-Name, MCP-Protocol-Version, X-Request-Id',
  'access-control-max-age': '86400',
} as const

/** `Cache-Control` of URLs whose content never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'
