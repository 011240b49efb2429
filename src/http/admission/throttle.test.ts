import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryThrottle, resetSeconds } from './throttle.ts'

describe('a window that has just begun', () => {
  it('ends in 60 seconds and never 61, whatever fractions the clock has', () => {
    let time = 0
    const throttle = memoryThrottle(10, () => time)
    for (let tick = 0; tick < 10_000; tick += 1) {
      time += 60_000.000_1 + Math.PI
      assert.equal(resetSeconds(throttle('key', 5)), 60, String(time))
    }
  })
})
