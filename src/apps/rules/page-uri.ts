import type { Fault } from '../../http/wire/errors/fault.ts'
import { faultOfRedirectUri } from './redirect-uris.ts'

/**
 * Why an address cannot be that of a page about an app, which people follow from the consent page, or undefined when it can:
 * as strict as a redirect URI, without the schemes of programs.
 */
export function faultOfPageUri(uri: string): Fault | undefined {
  const fault = faultOfRedirectUri(uri)
  if (fault?.code === 'uri.scheme') return { ...fault, code: 'page_uri.scheme' }
  if (fault !== undefined) return fault
  return /^https?:/i.test(uri) ? undefined : { code: 'uri.not_loopback' }
}
