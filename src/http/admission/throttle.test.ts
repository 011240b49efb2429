import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressKey, memoryThrottle } from './throttle.ts'
import { resetSeconds } from '../wire/errors/rate-limit.ts'

describe('a new window', () => {
  it('always reports a reset after 60 seconds, despite fractional clock readings', () => {
    let time = 0
    const throttle = memoryThrottle(10, () => time)
    for (let tick = 0; tick < 10_000; tick += 1) {
      time += 60_000.000_1 + Math.PI
      assert.equal(resetSeconds(throttle('key', 5)), 60, String(time))
    }
  })
})

describe('addressKey', () => {
  it('returns the whole IPv4 address or the /64 of an IPv6 address', () => {
    for (const [address, key] of [
      ['192.0.2.1', '192.0.2.1'],
      ['::ffff:192.0.2.1', '::ffff:192.0.2.1'],
      ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
      ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
      ['2001:db8::1', '2001:db8:0:0::/64'],
      ['2001:db8::3:4:5:6:7', '2001:db8:0:3::/64'],
      ['fe80::1', 'fe80:0:0:0::/64'],
      ['::1', '0:0:0:0::/64'],
      ['::', '0:0:0:0::/64'],
    ] as const)
      assert.equal(addressKey(address), `address:${key}`)
  })
})
