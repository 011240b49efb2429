import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashPassword, passwordMatches } from './passwords.ts'

describe('a password', () => {
  it('is hashed with argon2id and its own salt', async () => {
    const [first, second] = await Promise.all([
      hashPassword('correct horse'),
      hashPassword('correct horse'),
    ])
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.notEqual(first, second)
    assert.equal(await passwordMatches('correct horse', first), true)
    assert.equal(await passwordMatches('correct horse ', first), false)
    assert.equal(await passwordMatches('', first), false)
  })

  it('matches in any Unicode normalization', async () => {
    assert.equal(await passwordMatches('cafe\u0301', await hashPassword('caf\u00e9')), true)
  })

  it('does not match text that is not a hash', async () => {
    assert.equal(await passwordMatches('x', ''), false)
    assert.equal(await passwordMatches('x', '$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAA$'), false)
    assert.equal(await passwordMatches('x', 'x'), false)
  })
})
