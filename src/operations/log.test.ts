import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openLog } from './log.ts'

describe('a log', () => {
  it('that cannot be written harms nothing', () => {
    const log = openLog('info', '/dev/full')
    for (let line = 0; line < 1_000; line += 1)
      assert.doesNotThrow(() => log.info({ line }, 'something to say that finds no room on the disk'))
  })
})
