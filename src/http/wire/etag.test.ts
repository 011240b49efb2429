import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { etagOf, matchesEtag } from './etag.ts'

describe('ETags', () => {
  it('are strong, quoted and derived from the bytes alone', () => {
    assert.match(etagOf('{}'), /^"[\w-]{27}"$/)
    assert.equal(etagOf('{}'), etagOf(Buffer.from('{}')))
    assert.notEqual(etagOf('{}'), etagOf('{ }'))
  })

  it('match an If-None-Match header as RFC 9110 §13.1.2 requires', () => {
    for (const [ifNoneMatch, expected] of [
      ['"a"', true],
      ['W/"a"', true],
      ['*', true],
      ['"b", "a"', true],
      ['"b",W/"a"', true],
      ['', false],
      ['a', false],
      ['"b"', false],
      ['"ab"', false],
      ['"b", "c"', false],
      ['"a-br"', true],
      ['W/"a-gzip"', true],
      ['"a-zip"', false],
      ['"b-br"', false],
    ] as const)
      assert.equal(matchesEtag(ifNoneMatch, '"a"'), expected, ifNoneMatch)
  })
})
