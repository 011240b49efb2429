import { BlockList, isIP } from 'node:net'

/** Networks of IPv4 that are not the public Internet (IANA's registry of special-purpose addresses). */
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
 * The same inside of 2000::/3, which alone is public IPv6: so loopback, link-local, unique local, IPv4-mapped and NAT64
 * addresses are out by themselves. 6to4 and Teredo carry an IPv4 address that may be any.
 */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const special4 = blockList(SPECIAL_IPV4, 'ipv4')
const special6 = blockList(SPECIAL_IPV6, 'ipv6')
const public6 = blockList(['2000::/3'], 'ipv6')

function blockList(networks: string[], family: 'ipv4' | 'ipv6') {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

/** Whether an address is one of the public Internet; what is no address is not. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special4.check(address, 'ipv4')
  // A zone belongs to a link.
  if (isIP(address) !== 6 || address.includes('%')) return false
  return public6.check(address, 'ipv6') && !special6.check(address, 'ipv6')
}
