import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  inNetworks,
  ipv6Network,
  isLoopback,
  isLoopbackAddress,
  isPublicAddress,
} from './networks.ts'

/** First and last address of each network, and the public addresses next to it. */
const NETWORKS: [first: string, last: string, before: string, after: string][] = [
  ['0.0.0.0', '0.255.255.255', '1.0.0.0', '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff::', '2001:db7:ffff::', '2001:db9::'],
  ['2002::', '2002:ffff::', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff::', '3ffe:ffff::', '3fff:1000::'],
]

describe('a network', () => {
  it('contains its addresses of either family, and no other string', () => {
    const isIn = inNetworks(['10.0.0.0/8', 'fc00::/7'])
    for (const address of ['10.1.2.3', 'fd12::1', '::ffff:10.1.2.3'])
      assert.ok(isIn(address), address)
    for (const text of ['11.0.0.1', '2001:db8::1', '', 'localhost', '10.0.0.1.example', '10.0.0'])
      assert.ok(!isIn(text), text)
    assert.deepEqual(['127.9.9.9', '::1', '::2'].map(isLoopbackAddress), [true, true, false])
  })

  it('is the same whether an IPv6 address is shortened or not', () => {
    for (const address of ['2001:db8:1:2::9', '2001:db8:1:2:0:0:0:9', '2001:db8:1:2:3:4:5:6'])
      assert.equal(ipv6Network(address, 4), '2001:db8:1:2::/64')
    assert.equal(ipv6Network('::1', 4), '0:0:0:0::/64')
    assert.equal(ipv6Network('2001:db8::', 3), '2001:db8:0::/48')
  })
})

describe('an address', () => {
  it('is public only outside the special-purpose networks', () => {
    for (const [first, last, before, after] of NETWORKS) {
      assert.ok(!isPublicAddress(first), first)
      assert.ok(!isPublicAddress(last), last)
      assert.ok(isPublicAddress(before), before)
      assert.ok(isPublicAddress(after), after)
    }
    // The multicast and reserved ranges are adjacent and extend to the last address, so no public address follows them.
    for (const address of ['224.0.0.0', '239.255.255.255', '240.0.0.0', '255.255.255.255'])
      assert.ok(!isPublicAddress(address), address)
    assert.ok(isPublicAddress('223.255.255.255'))
  })

  it('is public only within 2000::/3, and without a zone', () => {
    for (const address of [
      '::1',
      '::',
      'fe80::1',
      'fc00::1',
      '::ffff:8.8.8.8',
      '64:ff9b::1',
      '4000::',
    ])
      assert.ok(!isPublicAddress(address), address)
    assert.ok(!isPublicAddress('2606:4700::1111%eth0'))
    assert.ok(!isPublicAddress('example.com'))
  })

  it('is loopback only if it is localhost, 127.0.0.1 or [::1]', () => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) assert.ok(isLoopback(name), name)
    for (const name of ['', '127.0.0.2', '::1', 'localhost.example']) assert.ok(!isLoopback(name))
  })
})
