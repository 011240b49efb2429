import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { NOT_IN_LINE, printable, printableWithin, startOf } from './printable.ts'

describe('untrusted text', () => {
  it('loses control characters and characters that change the text direction', () => {
    assert.equal(printable(' a\u001b[31m\r\nb\u202ec\u2028d\u2029e\ud800 '), 'a [31m b c d e\ufffd')
  })

  it('is truncated to the given number of characters, including the ellipsis', () => {
    assert.equal(printableWithin(4, 'four'), 'four')
    assert.equal(printableWithin(4, 'fives'), 'fiv…')
    assert.equal(printableWithin(4, 'abcdefghij'), 'abc…')
    assert.equal(printableWithin(3, 'a\u{1f600}bcd'), 'a\ufffd…')
  })

  it('is truncated only between whole characters, and is trimmed', () => {
    assert.equal(startOf('  \u{1f600}\u{1f600}\u{1f600} ', 2), '\u{1f600}\u{1f600}')
    assert.equal(startOf(' ab ', 3), 'ab')
  })

  it('is not a valid name if it contains a control character or a direction mark', () => {
    for (const character of ['\n', '\u007f', '\ud800', '\u2028', '\u202a', '\u202e', '\u2066'])
      assert.ok(NOT_IN_LINE.test(`a${character}b`), JSON.stringify(character))
    for (const character of ['\u{1f600}', '\u200d', '\u3000', 'é'])
      assert.ok(!NOT_IN_LINE.test(`a${character}b`), JSON.stringify(character))
  })
})
