import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decrypt, encrypt, makeReseal } from './encryption.ts'

const KEY = 'a key that is at least thirty-two characters long'

describe('a string encrypted for the database', () => {
  it('is decrypted with the same key and the same row', () => {
    const sealed = encrypt('JBSWY3DP', 'totp 1', KEY)
    assert.match(sealed, /^v1\.[\w-]{16}\.[\w-]+$/)
    assert.equal(decrypt(sealed, 'totp 1', KEY), 'JBSWY3DP')
    assert.notEqual(encrypt('JBSWY3DP', 'totp 1', KEY), sealed)
  })

  it('is rejected for another row, with a wrong or missing key, or if it was modified', () => {
    const sealed = encrypt('JBSWY3DP', 'totp 1', KEY)
    assert.throws(() => decrypt(sealed, 'totp 2', KEY), /with a different SECRET_KEY/)
    assert.throws(() => decrypt(sealed, 'totp 1', `${KEY}!`), /with a different SECRET_KEY/)
    assert.throws(() => decrypt(sealed, 'totp 1', undefined), /Set SECRET_KEY/)
    assert.throws(
      () => decrypt(`${sealed.slice(0, -2)}AA`, 'totp 1', KEY),
      /with a different SECRET_KEY/,
    )
  })

  it('is stored as plain text without a key, and remains readable once a key is set', () => {
    assert.equal(encrypt('{"kty":"EC"}', 'kid', undefined), '{"kty":"EC"}')
    assert.equal(decrypt('{"kty":"EC"}', 'kid', KEY), '{"kty":"EC"}')
  })

  it('has the format of earlier versions', () => {
    const stored = 'v1.nu8NvZrhGQlhiYAe.N0VJ8kbw-IWJrv8k1p_McBrvFHlBmcXsAod_RQ'
    assert.equal(decrypt(stored, 'kid', KEY), '{"kty":"EC"}')
  })

  it('causes an error with a cause if it cannot be decrypted', () => {
    assert.throws(
      () => decrypt(encrypt('a', 'b', KEY), 'c', KEY),
      ({ cause }: Error) => cause instanceof Error,
    )
  })

  it('is re-encrypted from plain text, the old key or the new key, and is rejected under any other key', () => {
    const newKey = `${KEY} and newer`
    const reseal = makeReseal(KEY, newKey)
    for (const stored of ['秘密', encrypt('秘密', 'row', KEY), encrypt('秘密', 'row', newKey)])
      assert.equal(decrypt(reseal(stored, 'row'), 'row', newKey), '秘密')
    assert.throws(
      () => reseal(encrypt('a', 'row', `${KEY}!`), 'row'),
      /with neither the old key nor SECRET_KEY/,
    )
    assert.throws(
      () => reseal(encrypt('a', 'row', KEY), 'other row'),
      /with neither the old key nor SECRET_KEY/,
    )
    assert.throws(
      () => makeReseal(undefined, newKey)(encrypt('a', 'row', KEY), 'row'),
      /with neither/,
    )
  })
})
