import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inNetworks, ipv6Network, isLoopback } from './networks.ts'

describe('a network', () => {
  it('contains its addresses of either family, and no other string', () => {
    const isIn = inNetworks(['10.0.0.0/8', 'fc00::/7'])
    for (const address of ['10.1.2.3', 'fd12::1', '::ffff:10.1.2.3'])
      assert.ok(isIn(address), address)
    for (const text of ['11.0.0.1', '2001:db8::1', '', 'localhost', '10.0.0.1.example', '10.0.0'])
      assert.ok(!isIn(text), text)
    assert.deepEqual(['127.9.9.9', '::1', '::2'].map(isLoopback), [true, true, false])
  })

  it('of an IPv6 address is the same however the address is written', () => {
    for (const address of ['2001:db8:1:2::9', '2001:db8:1:2:0:0:0:9', '2001:db8:1:2:3:4:5:6'])
      assert.equal(ipv6Network(address, 4), '2001:db8:1:2::/64')
    assert.equal(ipv6Network('::1', 4), '0:0:0:0::/64')
    assert.equal(ipv6Network('2001:db8::', 3), '2001:db8:0::/48')
  })
})
