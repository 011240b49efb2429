import { isIP } from 'node:net'
import { isLoopback } from '../../kernel/loopback.ts'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { faultOfRedirectUri } from './redirect-uris.ts'

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
