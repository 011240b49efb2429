import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { splitNames } from './name-list.ts'

describe('splitNames', () => {
  it('splits names at separators outside brackets, and keeps the text around a name as its note', () => {
    assert.deepEqual(splitNames('Key/ビジュアルアーツ(PC)、原画：籐太（第1巻、第2巻）；[ALEX]'), [
      { name: 'Key', note: '' },
      { name: 'ビジュアルアーツ', note: 'PC' },
      { name: '籐太', note: '原画、第1巻、第2巻' },
      { name: '[ALEX]', note: '' },
    ])
    assert.deepEqual(splitNames('不明'), [])
    assert.deepEqual(
      splitNames('エンターブレイン、尖端出版，人民文学出版社').map(({ name }) => name),
      ['エンターブレイン', '尖端出版', '人民文学出版社'],
    )
  })
})
