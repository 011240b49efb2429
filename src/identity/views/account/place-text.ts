import { BlockList, isIP } from 'node:net'
import type { Messages } from '../../../ui/messages.ts'

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

/** Networks that are not part of the public internet (RFC 1918, RFC 4193, link-local, RFC 6598). */
const LOCAL = new BlockList()
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  LOCAL.addSubnet(network, prefix, 'ipv4')
LOCAL.addSubnet('fc00::', 7, 'ipv6')
LOCAL.addSubnet('fe80::', 10, 'ipv6')

/**
 * Describes the location of an address as far as the address itself reveals it, without an external service.
 *
 * @param here client address of this request
 */
export function placeText(
  { accountSessions: texts }: Messages,
  address: string,
  clientAddress: string,
): string | undefined {
  const family = isIP(address)
  if (family === 0) return undefined
  const type = family === 4 ? 'ipv4' : 'ipv6'
  if (LOOPBACK.check(address, type)) return texts.thisMachine
  if (address === clientAddress) return texts.thisNetwork
  return LOCAL.check(address, type) ? texts.localNetwork : undefined
}

/** Shortens an address, so that it does not identify a household. */
export function shortAddress(address: string): string {
  const family = isIP(address)
  if (family === 4) return address.replace(/\.\d+\.\d+$/, '.…')
  if (family === 6) return `${address.split(':').slice(0, 2).join(':')}:…`
  return address
}
