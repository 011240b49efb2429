import { isIPv4 } from 'node:net'

import type { CodedReason } from './refused-request-buffer.ts'

/** What developers may read of a refused request. Whatever could be a secret, a token, a code or a reader's text is masked. */

/** Parameters of the protocol whose values decide why a request is refused, and give nothing away. */
const SHOWN_PARAMETERS = new Set([
  'grant_type',
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'prompt',
  'resource',
  'code_challenge_method',
  'token_type_hint',
  'max_age',
  'display',
  'ui_locales',
])

/** Parameters whose names are told, and of their values the length alone. */
const MASKED_PARAMETERS = new Set([
  'client_secret',
  'client_assertion',
  'client_assertion_type',
  'code',
  'code_verifier',
  'code_challenge',
  'state',
  'nonce',
  'refresh_token',
  'device_code',
  'user_code',
  'token',
  'id_token_hint',
  'login_hint',
  'request',
  'request_uri',
  'username',
  'password',
])

const MAX_VALUE = 300

/** Parameters of a request of the protocol: known names alone, since a name may be a secret that was sent in the wrong place. */
export function describeParameters(parameters: Record<string, unknown>): Record<string, string> {
  const described: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') continue
    if (SHOWN_PARAMETERS.has(name)) described[name] = describeText(value)
    else if (MASKED_PARAMETERS.has(name)) described[name] = masked(value)
  }
  return described
}

/** Parameters of a query: those that the route knows, with values that are short. */
export function describeQuery(query: unknown, known: readonly string[]): Record<string, string> {
  // as: an object, whatever is in it
  const given = (typeof query === 'object' && query !== null ? query : {}) as Record<
    string,
    unknown
  >
  const shown = known.filter((name) => given[name] !== undefined)
  return Object.fromEntries(shown.map((name) => [name, describeText(String(given[name]))]))
}

/** A value that is no text of a person: numbers, and words of an enum. Of any other its type and length. */
export function describeField(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number')
    return String(value)
  if (typeof value === 'string') return /^[A-Z_]{1,40}$/.test(value) ? value : masked(value)
  return Array.isArray(value) ? `[${value.length}]` : value === undefined ? '-' : '{…}'
}

/**
 * A text without what moves a cursor or turns a line around, without anything that looks like a secret, and not longer than
 * a line of a log.
 */
export function describeText(text: string, max = MAX_VALUE): string {
  const plain = text
    .slice(0, 4 * max)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
    .replaceAll(/\/\/[^/?#\s]*@/g, '//…@')
    .replaceAll(/((?:token|secret|code|key|password|pass|auth|session)[^=&\s]*=)[^&\s]+/gi, '$1…')
    .replaceAll(/[\w-]{28,}/g, masked)
  return plain.length > max ? `${plain.slice(0, max)}…` : plain
}

const masked = (value: string) => `… (${value.length})`

/** Maximum number of parts stored of a reason. */
const MAX_PARTS = 20

/** Returns a reason whose parameters and fields are sanitized by `describeText`. */
export const describeReason = (parts: readonly CodedReason[]): CodedReason[] =>
  parts
    .slice(0, MAX_PARTS)
    .map(({ code, params = {}, field }) => ({
      code,
      params: Object.fromEntries(
        Object.entries(params).map(([name, value]) => [
          name,
          typeof value === 'string' ? describeText(value) : value,
        ]),
      ),
      ...(field !== undefined && { field: describeText(field) }),
    }))

/** The network an address is of: enough to tell one's own server from a stranger. */
export function shortenAddress(address: string): string | null {
  const plain = address.replace(/^::ffff:/i, '')
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  if (!/^[\da-f:]+$/i.test(plain)) return null
  const [before = [], after = []] = plain
    .split('::', 2)
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, 3).join(':')}::/48`
}
