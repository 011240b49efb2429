import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { malformedToken, unauthenticated } from '../wire/errors/refusals.ts'
import { bearerToken, wellFormed } from './bearer.ts'

describe('a bearer token', () => {
  it('follows its scheme in any case and after any number of spaces', () => {
    for (const sent of ['Bearer a.b-c', 'Bearer  a.b-c', 'bearer a.b-c', '  BEARER   a.b-c ']) {
      const token = bearerToken(sent)
      assert.equal(token, 'a.b-c', sent)
    }
    for (const sent of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      'a.b-c',
      'Basic a.b-c',
      'Bearera.b-c',
      'x Bearer a',
    ])
      assert.throws(() => bearerToken(sent), unauthenticated(), sent)
  })

  it('consists of the characters of RFC 6750 §2.1 and has a maximum length', () => {
    const longest = 'a'.repeat(8_192)
    assert.equal(wellFormed(longest), longest)
    assert.equal(wellFormed('aZ09-._~+/=='), 'aZ09-._~+/==')
    for (const token of ['', `${longest}a`, 'a b', 'a,b', 'a=b', 'ä', 'a\n'])
      assert.throws(() => wellFormed(token), malformedToken(), JSON.stringify(token.slice(0, 9)))
  })
})
