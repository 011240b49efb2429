import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { respawnDelays } from './respawn-delays.ts'

describe('respawnDelays', () => {
  it('replaces a worker at once, delays further replacements while workers exit soon after starting, and finally gives up', () => {
    const delayAfter = respawnDelays()
    assert.deepEqual([3_600_000, 0, 100, 9_999, 0, 0, 0].map(delayAfter), [
      0,
      0,
      1_000,
      2_000,
      4_000,
      8_000,
      undefined,
    ])
  })

  it('resets the count of early exits after a stable run', () => {
    const delayAfter = respawnDelays()
    assert.deepEqual([0, 0, 0, 10_000, 0, 0].map(delayAfter), [0, 1_000, 2_000, 0, 0, 1_000])
  })
})
