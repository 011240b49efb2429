import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { respawnDelays } from './respawn.ts'

describe('a worker that has ended', () => {
  it('is replaced at once, the later the more of them end right after their start, and at last no more', () => {
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

  it('is forgiven what was before one that stayed', () => {
    const delayAfter = respawnDelays()
    assert.deepEqual([0, 0, 0, 10_000, 0, 0].map(delayAfter), [0, 1_000, 2_000, 0, 0, 1_000])
  })
})
