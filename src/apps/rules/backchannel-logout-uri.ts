import { isIP } from 'node:net'
import { isLoopback } from '../../kernel/loopback.ts'
import type { Fault } from '../../http/wire/errors/fault.ts'
import { faultOfRedirectUri } from './redirect-uris.ts'

/**
 * Why an address cannot be told of sign-outs (decision 0012), or undefined when it can. It is this service that asks there,
 * so it must be a public name; one of this machine is reached where the service is on it too.
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
