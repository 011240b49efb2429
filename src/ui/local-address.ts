/** Characters. A page repeats its address in many places, and a cookie holds no more than 4,096 bytes. */
const LONGEST = 2_000

/** Parameters that no link on a page repeats. */
export const SECRET_PARAMETERS = ['user_code', 'id_token_hint']

/**
 * Path and query of what a request asks for, without these parameters of the query; the rest stays as it was written. What is
 * too long to be repeated loses its query, and else leads home.
 *
 * @returns always an address of this service: `//host/…` and `http://host/…`, which a browser would take for another's,
 *   lose the host
 */
export function localAddress(target: string, without: string[]): string {
  const parsed = URL.parse(target, 'http://localhost')
  const path = `/${(parsed?.pathname ?? '').replace(/^[/\\]+/, '')}`
  const pairs = (parsed?.search.slice(1) ?? '')
    .split('&')
    .filter((pair) => pair !== '' && !without.includes(nameIn(pair)))
  const address = pairs.length > 0 ? `${path}?${pairs.join('&')}` : path
  return [address, path].find(({ length }) => length <= LONGEST) ?? '/'
}

/** The name of a parameter as the router reads it: `%6cang` is `lang`. */
const nameIn = (pair: string) => [...new URLSearchParams(pair).keys()][0] ?? ''
