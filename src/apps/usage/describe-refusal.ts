import { isIPv4 } from 'node:net'
import { ipv6Network } from '../../kernel/networks.ts'
import type { CodedReason } from './refused-request-buffer.ts'

/**
 * Describes rejected requests for developers. Anything that could be a secret, token, code or a user's text is masked.
 */

/** Protocol parameters whose values explain a rejection and are not sensitive. */
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

/** Protocol parameters that are shown by name and length only. */
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

/** Describes a request's protocol parameters. Unknown names are omitted, because a name may be a misplaced secret. */
export function describeParameters(parameters: Record<string, unknown>): Record<string, string> {
  const described: Record<string, string> = {}
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string') continue
    if (SHOWN_PARAMETERS.has(name)) described[name] = describeText(value)
    else if (MASKED_PARAMETERS.has(name)) described[name] = masked(value)
  }
  return described
}

/** Describes the query parameters that the route declares, with their values if they are short. */
export function describeQuery(query: unknown, known: readonly string[]): Record<string, string> {
  // as: the query is an object with unknown properties
  const values = (typeof query === 'object' && query !== null ? query : {}) as Record<
    string,
    unknown
  >
  const names = known.filter((name) => values[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, describeText(String(values[name]))]))
}

/** Describes a value: numbers and enum values by their text, and anything else by type and length. */
export function describeField(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'number')
    return String(value)
  if (typeof value === 'string') return /^[A-Z_]{1,40}$/.test(value) ? value : masked(value)
  return Array.isArray(value) ? `[${value.length}]` : value === undefined ? '-' : '{…}'
}

/** Sanitizes text: removes control characters, masks likely secrets, and truncates it to `max` characters. */
export function describeText(text: string, max = MAX_VALUE): string {
  const sanitized = text
    .slice(0, 4 * max)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\u{FFFD}')
    .replaceAll(/\/\/[^/?#\s]*@/g, '//…@')
    .replaceAll(/((?:token|secret|code|key|password|pass|auth|session)[^=&\s]*=)[^&\s]+/gi, '$1…')
    .replaceAll(/[\w-]{28,}/g, masked)
  return sanitized.length > max ? `${sanitized.slice(0, max)}…` : sanitized
}

const masked = (value: string) => `… (${value.length})`

/** Maximum number of parts of a reason that are stored. */
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

/** Shortens an address to its network, which is enough to tell the developer's own server from others. */
export function shortenAddress(address: string): string | null {
  const plain = address.replace(/^::ffff:/i, '')
  if (isIPv4(plain)) return `${plain.split('.').slice(0, 3).join('.')}.0/24`
  if (!/^[\da-f:]+$/i.test(plain)) return null
  return ipv6Network(plain, 3)
}
