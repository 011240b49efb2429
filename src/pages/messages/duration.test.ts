import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { duration } from './duration.ts'

describe('a time to wait', () => {
  it('is told in seconds while it is short, and then in minutes', () => {
    assert.deepEqual([1, 2, 119, 120, 121, 900].map(duration.en), [
      '1 second',
      '2 seconds',
      '119 seconds',
      '2 minutes',
      '3 minutes',
      '15 minutes',
    ])
    assert.deepEqual([30, 900].map(duration.ja), ['30秒', '15分'])
    assert.deepEqual([30, 900].map(duration['zh-Hans']), ['30 秒', '15 分钟'])
  })
})
