import { isIP } from 'node:net'
import { isLoopback } from '../../kernel/networks.ts'
import type { Fault } from '../../http/wire/errors/fault.ts'

/** Schemes that cannot receive a redirect, or that execute their content. */
const REFUSED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'file:',
  'blob:',
  'vbscript:',
  'about:',
  'ftp:',
  'ws:',
  'wss:',
  // Schemes of the browser, or of programs other than the app.
  'view-source:',
  'filesystem:',
  'jar:',
  'chrome:',
  'resource:',
  'intent:',
  'mailto:',
  'tel:',
  'sms:',
])

/**
 * Returns why a URI cannot be a redirect URI (decision 0003), or undefined if it can: https, http on loopback, or a
 * private-use scheme of a desktop or mobile app, with or without a dot.
 */
export function faultOfRedirectUri(uri: string): Fault | undefined {
  if (uri.length > 2_048) return { code: 'uri.too_long' }
  // URI parsers drop these silently. Redirect URIs are compared exactly, so developers must see exactly what is
  // compared.
  if (/[\s\p{Cc}\p{Cf}\p{Cs}\\]/u.test(uri)) return { code: 'uri.characters' }
  const url = URL.parse(uri)
  if (!url) return { code: 'uri.not_absolute' }
  if (uri.includes('#')) return { code: 'uri.fragment' }
  if (uri.includes('*')) return { code: 'uri.wildcard' }
  if (REFUSED_SCHEMES.has(url.protocol))
    return { code: 'uri.scheme', params: { scheme: url.protocol.slice(0, -1) } }
  if (url.username !== '' || url.password !== '' || /^[^/?#]*:\/\/[^/?#]*@/.test(uri))
    return { code: 'uri.credentials' }
  if (url.protocol === 'https:' || url.protocol === 'http:') {
    if (!uri.toLowerCase().startsWith(`${url.protocol}//`) || url.hostname === '')
      return { code: 'uri.no_host' }
    if (url.protocol === 'http:' && !isLoopback(url.hostname)) return { code: 'uri.not_loopback' }
  }
  return undefined
}

/**
 * Whether any program on the user's machine could receive the redirect, so that the URI does not authenticate the app
 * (RFC 8252 §8.6).
 */
export function isLocalRedirectUri(uri: string): boolean {
  return URL.parse(uri)?.protocol !== 'https:'
}

/**
 * Returns where a redirect URI leads. An empty one, as in the device flow, counts as `elsewhere`.
 *
 * @param origin of our pages
 */
export function redirectTargetOf(uri: string, origin: string): 'device' | 'us' | 'elsewhere' {
  if (uri === '') return 'elsewhere'
  if (URL.parse(uri)?.origin === URL.parse(origin)?.origin) return 'us'
  return isLocalRedirectUri(uri) ? 'device' : 'elsewhere'
}

/**
 * Returns why a URI cannot be a page about an app that the consent page links to, or undefined if it can. The rules
 * are as strict as for redirect URIs, and exclude private-use schemes.
 */
export function faultOfPageUri(uri: string): Fault | undefined {
  const fault = faultOfRedirectUri(uri)
  if (fault?.code === 'uri.scheme') return { ...fault, code: 'page_uri.scheme' }
  if (fault !== undefined) return fault
  return /^https?:/i.test(uri) ? undefined : { code: 'uri.not_loopback' }
}

/**
 * Returns why a URI cannot receive logout tokens (decision 0012), or undefined if it can. This service sends the
 * request, so the host must be a public name, or loopback if the app runs on the same machine.
 */
export function faultOfLogoutUri(uri: string): Fault | undefined {
  const fault = faultOfRedirectUri(uri)
  if (fault !== undefined) return fault
  const { protocol, hostname } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return { code: 'uri.not_loopback' }
  if (isLoopback(hostname)) return undefined
  const isPublicName =
    isIP(hostname.replaceAll(/[[\]]/g, '')) === 0 && /\.[a-z][a-z\d-]*\.?$/i.test(hostname)
  const isPrivateName = /\.(local|localhost|internal|lan|home\.arpa)\.?$/i.test(hostname)
  return isPublicName && !isPrivateName ? undefined : { code: 'logout_uri.private' }
}
