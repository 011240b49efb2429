import { faultOfRedirectUri } from './redirect-uris.ts'

/**
 * Why an address cannot be that of a page about an app, which people follow from the consent page, or undefined when it can:
 * as strict as a redirect URI, without the schemes of programs.
 */
export function faultOfPageUri(uri: string): string | undefined {
  const fault = faultOfRedirectUri(uri)
  if (fault !== undefined) return fault
  return /^https?:/i.test(uri) ? undefined : 'must be https, or http of localhost, 127.0.0.1 or [::1]'
}
