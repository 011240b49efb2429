import { isIP } from 'node:net'
import { inNetworks, isLoopbackAddress } from '../../../kernel/networks.ts'
import type { Messages } from '../../../ui/messages.ts'

/** Networks that are not part of the public internet (RFC 1918, RFC 4193, link-local, RFC 6598). */
const isLocal = inNetworks([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  '100.64.0.0/10',
  'fc00::/7',
  'fe80::/10',
])

/**
 * Describes the location of an address as far as the address itself reveals it, without an external service.
 *
 * @param clientAddress client address of this request
 */
export function placeText(
  { accountSessions: texts }: Messages,
  address: string,
  clientAddress: string,
): string | undefined {
  if (isIP(address) === 0) return undefined
  if (isLoopbackAddress(address)) return texts.thisMachine
  if (address === clientAddress) return texts.thisNetwork
  return isLocal(address) ? texts.localNetwork : undefined
}

/** Shortens an address, so that it does not identify a household. */
export function shortAddress(address: string): string {
  const family = isIP(address)
  if (family === 4) return address.replace(/\.\d+\.\d+$/, '.…')
  if (family === 6) return `${address.split(':').slice(0, 2).join(':')}:…`
  return address
}
