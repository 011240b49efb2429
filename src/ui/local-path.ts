/**
 * Maximum length of a path, in characters. A page repeats its own path many times, and cookies hold at most 4,096
 * bytes.
 */
const MAX_PATH_LENGTH = 2_000

/** Query parameters that must not be copied to links. */
export const SECRET_PARAMETERS = ['user_code', 'id_token_hint']

/**
 * Returns the path and query of a URL without some query parameters; the rest stays as written. If
 * the result is too long, the query is dropped; if the path alone is too long, the result is `/`.
 *
 * @returns always a path on this host: `//host/…` and `http://host/…`, which browsers resolve to
 * another host, lose the host
 */
export function localPath(target: string, without: string[]): string {
  const parsed = URL.parse(target, 'http://localhost')
  const path = `/${(parsed?.pathname ?? '').replace(/^[/\\]+/, '')}`
  const pairs = (parsed?.search.slice(1) ?? '')
    .split('&')
    .filter((pair) => pair !== '' && !without.includes(parameterNameOf(pair)))
  const whole = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
  return [whole, path].find(({ length }) => length <= MAX_PATH_LENGTH) ?? '/'
}

/** Decodes a parameter name as the router does: `%6cang` is `lang`. */
const parameterNameOf = (pair: string) => [...new URLSearchParams(pair).keys()][0] ?? ''
