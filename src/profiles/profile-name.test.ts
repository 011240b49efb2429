import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { foldProfileName, readProfileName } from './profile-name.ts'

describe('a profile name', () => {
  it('consists of lower-case letters, digits and single hyphens after normalization', () => {
    assert.deepEqual(readProfileName(' Nagisa-2 '), { name: 'nagisa-2' })
    assert.deepEqual(readProfileName('Ｎａｇｉｓａ'), { name: 'nagisa' })
    for (const name of [
      '',
      'ab',
      'a'.repeat(33),
      '42nd',
      '1234',
      '-abc',
      'abc-',
      'a--b',
      'a_b_c',
      'a.b.c',
      'a/b/c',
      'na\0gisa',
      'na\ngisa',
      'na\u202egisa',
      'na\u200bgisa',
      'n\u0430gisa',
      '渚さん',
      'n\ud800agisa',
      'é́cole',
      'ﷺ'.repeat(32),
    ])
      assert.deepEqual(readProfileName(name), { fault: 'name_invalid' }, JSON.stringify(name))
  })

  it('is rejected if it is reserved or resembles a reserved name', () => {
    for (const name of [
      'admin',
      'Adm1n',
      'ad-min',
      'adrnin',
      'M0kuroku',
      'support',
      'ＲＯＯＴ',
      'adm-ln',
    ])
      assert.deepEqual(readProfileName(name), { fault: 'name_reserved' }, name)
    assert.deepEqual(readProfileName('administrators'), { name: 'administrators' })
  })

  it('has the same key as every name that looks like it', () => {
    const folded = ['lily', '1i1y', 'l-i-ly', 'iiiy'].map(foldProfileName)
    assert.deepEqual([...new Set(folded)], ['iiiy'])
    assert.notEqual(foldProfileName('nagisa'), foldProfileName('nagise'))
  })
})
