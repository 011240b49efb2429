/** Values of `target_session_attrs` that require a database that accepts writes. */
const WRITABLE = ['read-write', 'primary']

/** Hosts of a PostgreSQL URL. */
export type DatabaseHosts = {
  /** One URL per host, in the order of preference, without `target_session_attrs`. */
  urls: readonly [string, ...string[]]
  /** Whether only a host that accepts writes may be used. Always true with several hosts. */
  needsPrimary: boolean
}

/**
 * Splits a PostgreSQL URL such as `postgres://user@a:5432,b:5433/database?target_session_attrs=read-write`.
 *
 * @throws {Error} whose message completes "NAME must be …", without checking the URL of each host
 */
export function databaseHosts(url: string): DatabaseHosts {
  const [, scheme = '', authority = '', rest = ''] =
    /^([^:/?#]*:\/\/)?([^/?#]*)(.*)$/s.exec(url) ?? []
  const at = authority.lastIndexOf('@') + 1
  const [user, hosts] = [authority.slice(0, at), authority.slice(at).split(',')]
  const [, path = '', query] = /^([^?#]*)(?:\?(.*))?$/s.exec(rest) ?? [undefined, rest]
  const pairs = (query ?? '').split('&').filter((pair) => pair !== '')
  const attributes = pairs.filter((pair) => pair.startsWith('target_session_attrs='))
  if (hosts.length === 1 && attributes.length === 0) return { urls: [url], needsPrimary: false }
  const attribute = attributes.at(-1)?.split('=')[1]
  if (hosts.length > 1 && hosts.includes('')) throw new Error('a URL whose hosts all have a name')
  if (attribute !== undefined && ![...WRITABLE, 'any'].includes(attribute))
    throw new Error('a URL whose target_session_attrs is read-write')
  if (hosts.length > 1 && attribute === 'any')
    throw new Error('a URL with one host, or one whose target_session_attrs is read-write')
  const others = pairs.filter((pair) => !attributes.includes(pair)).join('&')
  const [first = url, ...more] = hosts.map(
    (host) => `${scheme}${user}${host}${path}${others === '' ? '' : `?${others}`}`,
  )
  return {
    urls: [first, ...more],
    needsPrimary: more.length > 0 || WRITABLE.includes(attribute ?? ''),
  }
}

/** Returns the host and port of a URL with one host, for messages. */
export const hostAndPortOf = (url: string) => URL.parse(url)?.host ?? ''
