import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitSummary } from './text.ts'

describe('splitSummary', () => {
  it('separates the languages of a summary', () => {
    assert.deepEqual(
      splitSummary('季節は春、物語は始まる。\r\n-\r\n\r\n春天的故事（はる）开始了，大家都很高兴。'),
      {
        original: '季節は春、物語は始まる。',
        translated: '春天的故事（はる）开始了，大家都很高兴。',
      },
    )
    assert.deepEqual(splitSummary('\0'), { original: '', translated: '' })
  })
})
