import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFreeText } from './free-text.ts'

describe('readFreeText', () => {
  it('normalizes line endings to line feeds', () => {
    assert.deepEqual(readFreeText('a\r\nb\rc\nd', 10), { text: 'a\nb\nc\nd' })
    assert.deepEqual(readFreeText('', 0), { text: '' })
  })

  it('measures length in characters, not bytes or code units', () => {
    assert.deepEqual(readFreeText('😀😀', 2), { text: '😀😀' })
    assert.deepEqual(readFreeText('a\r\n', 2), { text: 'a\n' })
    assert.deepEqual(readFreeText('😀😀😀', 2), {
      fault: { code: 'text.too_long', params: { max: 2, length: 3 } },
    })
  })

  it('rejects characters the database cannot store', () => {
    for (const text of ['\0', 'a\0b', '\ud83d', '\ude00x'])
      assert.deepEqual(readFreeText(text, 10), { fault: { code: 'text.not_text' } })
  })
})
