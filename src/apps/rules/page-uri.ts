import type { Fault } from '../../http/wire/errors/fault.ts'
import { faultOfRedirectUri } from './redirect-uris.ts'

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
