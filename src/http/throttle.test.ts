import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressKey, memoryThrottle, resetSeconds, throttleHeaders, WINDOW_MS } from './throttle.ts'

describe('a window in memory', () => {
  it('starts at the first request, not at the minute, and ends sixty seconds later', () => {
    let now = 123_456
    const throttle = memoryThrottle(10, () => now)
    for (let request = 1; request <= 60; request += 1) {
      const { remaining, exceeded } = throttle('a', 60)
      assert.deepEqual({ remaining, exceeded }, { remaining: 60 - request, exceeded: false })
      now += 100
    }
    assert.equal(throttle('a', 60).exceeded, true)
    now = 123_456 + WINDOW_MS - 1
    assert.equal(throttle('a', 60).exceeded, true)
    now = 123_456 + WINDOW_MS
    assert.deepEqual(throttle('a', 60), { limit: 60, remaining: 59, resetMs: WINDOW_MS, exceeded: false })
  })

  it('is not prolonged by requests that are refused', () => {
    let now = 0
    const throttle = memoryThrottle(10, () => now)
    for (let request = 0; request < 500; request += 1) {
      throttle('a', 1)
      now += 100
    }
    now = WINDOW_MS
    assert.equal(throttle('a', 1).exceeded, false)
  })

  it('counts each key by itself', () => {
    const throttle = memoryThrottle(10)
    throttle('a', 1)
    assert.equal(throttle('a', 1).exceeded, true)
    assert.equal(throttle('b', 1).exceeded, false)
  })

  it('forgets the key unused for longest when there are too many, and no other', () => {
    const throttle = memoryThrottle(2)
    throttle('a', 1)
    throttle('b', 1)
    throttle('a', 1)
    throttle('c', 1)
    assert.equal(throttle('a', 1).exceeded, true)
    assert.equal(throttle('b', 1).exceeded, false)
  })
})

describe('the headers of a window', () => {
  it('tell the limit, what is left and the whole seconds to wait', () => {
    assert.deepEqual(throttleHeaders({ limit: 60, remaining: 7, resetMs: 41_001, exceeded: false }), {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '7',
      'x-ratelimit-reset': '42',
      ratelimit: '"default";r=7;t=42',
      'ratelimit-policy': '"default";q=60;w=60',
    })
  })

  it('never say to wait for less than a second', () => {
    assert.equal(resetSeconds({ limit: 1, remaining: 0, resetMs: 0.4, exceeded: true }), 1)
  })
})

describe('an address', () => {
  it('is one IPv4 host, or one /64 of IPv6 however it is written', () => {
    assert.notEqual(addressKey('192.0.2.1'), addressKey('192.0.2.2'))
    assert.notEqual(addressKey('::ffff:192.0.2.1'), addressKey('::ffff:192.0.2.2'))
    assert.equal(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:2:ffff:1:2:3'))
    assert.notEqual(addressKey('2001:db8:1:2::1'), addressKey('2001:db8:1:3::1'))
    assert.equal(addressKey('2001:db8::1'), addressKey('2001:db8:0:0:9::1'))
    assert.notEqual(addressKey('2001:db8::1'), addressKey('2001:db9::1'))
  })
})
