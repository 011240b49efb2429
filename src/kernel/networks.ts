import { BlockList, isIP } from 'node:net'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Returns a function that tests whether a string is an IP address in one of the networks.
 *
 * @param networks in CIDR notation
 */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

export const isLoopback = inNetworks(['127.0.0.0/8', '::1/128'])

/** Returns the network of an IPv6 address, whose prefix is this number of groups of 16 bits. */
export function ipv6Network(address: string, groups: number): string {
  const [before = [], after = []] = address
    .split('::', 2)
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, groups).join(':')}::/${groups * 16}`
}
