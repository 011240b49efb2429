import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readFreeText } from './free-text.ts'

describe('a free text', () => {
  it('has line feeds at the ends of its lines', () => {
    assert.deepEqual(readFreeText('a\r\nb\rc\nd', 10), { text: 'a\nb\nc\nd' })
    assert.deepEqual(readFreeText('', 0), { text: '' })
  })

  it('is as long as its characters, not its bytes or code units', () => {
    assert.deepEqual(readFreeText('😀😀', 2), { text: '😀😀' })
    assert.deepEqual(readFreeText('a\r\n', 2), { text: 'a\n' })
    assert.deepEqual(readFreeText('😀😀😀', 2), {
      fault: { code: 'text.too_long', params: { max: 2, length: 3 } },
    })
  })

  it('holds nothing that a database cannot store', () => {
    for (const text of ['\0', 'a\0b', '\ud83d', '\ude00x'])
      assert.deepEqual(readFreeText(text, 10), { fault: { code: 'text.not_text' } })
  })
})
