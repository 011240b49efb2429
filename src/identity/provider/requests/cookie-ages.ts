import type { ServerResponse } from 'node:http'

/**
 * Adds `Max-Age` to cookies with `Expires`. It takes precedence (RFC 6265 §5.3), and does not depend on the clocks of
 * this machine and of the browser. Cookies that delete another are unchanged.
 */
export function addCookieAges(response: ServerResponse) {
  const header = response.getHeader('set-cookie')
  if (Array.isArray(header)) response.setHeader('set-cookie', header.map(withAge))
}

/** Returns a `Set-Cookie` header with `Max-Age`, if it has an expiry in the future. */
export function withAge(cookie: string): string {
  const [, text] = /; expires=([^;]+)/i.exec(cookie) ?? []
  if (text === undefined || /; max-age=/i.test(cookie)) return cookie
  const seconds = Math.round((Date.parse(text) - Date.now()) / 1_000)
  return seconds > 0 ? `${cookie}; max-age=${seconds}` : cookie
}
