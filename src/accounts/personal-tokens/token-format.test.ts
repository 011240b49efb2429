import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isPersonalToken, newPersonalToken } from './token-format.ts'

describe('a personal access token', () => {
  it('matches the documented expression, and differs from all others', () => {
    const tokens = Array.from({ length: 200 }, newPersonalToken)
    for (const token of tokens) {
      assert.match(token, /^mkp_[0-9A-Za-z]{49}$/)
      assert.ok(isPersonalToken(token))
    }
    assert.equal(new Set(tokens).size, tokens.length)
    // Every digit occurs, so the random part uses the whole alphabet.
    assert.equal(new Set(tokens.map((token) => token.slice(4, 47)).join('')).size, 62)
  })

  it('has a checksum that rejects any other digit, length, prefix or case', () => {
    const token = newPersonalToken()
    for (let place = 4; place < token.length; place += 1) {
      const digit = token[place] === 'a' ? 'b' : 'a'
      assert.ok(!isPersonalToken(token.slice(0, place) + digit + token.slice(place + 1)), token)
    }
    for (const wrong of [
      '',
      'mkp_',
      token.slice(1),
      `${token}a`,
      token.slice(0, -1),
      ` ${token}`,
      `${token}\n`,
      token.replace('mkp_', 'MKP_'),
      token.replace('mkp_', 'mks_'),
    ])
      assert.ok(!isPersonalToken(wrong), JSON.stringify(wrong))
  })

  it('has the checksum that the decision documents', () => {
    assert.ok(isPersonalToken(`mkp_${'0'.repeat(43)}2CZclj`))
  })
})
