import { BlockList, isIP } from 'node:net'

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Returns a function that tests whether a string is an IP address in one of the networks.
 *
 * @param networks networks in CIDR notation
 */
export function inNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => isIP(address) !== 0 && list.check(address, familyOf(address))
}

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]'])

/** True if the host of a URL is a loopback address or `localhost`. */
export const isLoopback = (hostname: string): boolean => LOOPBACK_HOSTS.has(hostname)

export const isLoopbackAddress = inNetworks(['127.0.0.0/8', '::1/128'])

/** IPv4 networks that are not public (IANA special-purpose address registry). */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * Networks inside 2000::/3 that are not public. Everything outside 2000::/3 is rejected anyway: loopback, link-local,
 * unique local, IPv4-mapped and NAT64 addresses. 6to4 and Teredo can carry any IPv4 address.
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const isSpecial = inNetworks([...SPECIAL_IPV4, ...SPECIAL_IPV6])
const isGlobalIpv6 = inNetworks(['2000::/3'])

/** True if a string is an IP address of the public Internet. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !isSpecial(address)
  // Only link-local addresses have a zone.
  return !address.includes('%') && isGlobalIpv6(address) && !isSpecial(address)
}

/** Returns the network of an IPv6 address. @param groups length of its prefix, in groups of 16 bits */
export function ipv6Network(address: string, groups: number): string {
  const [before = [], after = []] = address
    .split('::', 2)
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  return `${[...before, ...zeros, ...after].slice(0, groups).join(':')}::/${groups * 16}`
}
