import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkBio,
  checkEmail,
  checkName,
  checkNickname,
  checkNewPassword,
  checkPicture,
  type Checked,
} from './profile-rules.ts'

const codeOf = (checked: Checked<unknown>) => checked.fault?.code
const valueOf = (checked: Checked<unknown>) => (checked.fault ? undefined : checked.value)

describe('profile rules', () => {
  it('accept an email address of up to 254 characters with one @ and no space', () => {
    for (const email of ['a@b', 'Reader+tag@Example.org', `${'x'.repeat(252)}@y`])
      assert.equal(valueOf(checkEmail(email)), email)
    assert.equal(valueOf(checkEmail('reader@例え.jp')), 'reader@xn--r8jz45g.jp')
    assert.equal(
      valueOf(checkEmail('\u212Aelvin@example.org')),
      'Kelvin@example.org',
      'the Kelvin sign',
    )
    for (const email of ['読者@example.org', '\u0130victim@example.org', 'v\u0131ctim@example.org'])
      assert.equal(codeOf(checkEmail(email)), 'email_invalid', email)
    assert.equal(valueOf(checkEmail(' a@b\n')), 'a@b')
    for (const email of [
      '',
      'nobody',
      '@b',
      'a@',
      'a@b@c',
      'a b@c',
      'a@b\r\nBcc: c@d',
      'a\0@b',
      'a\u200b@b',
      'a@b,c',
      '<a@b>',
      '"a"@b',
      `${'x'.repeat(253)}@y`,
    ])
      assert.equal(codeOf(checkEmail(email)), 'email_invalid', JSON.stringify(email))
  })

  it('accept a name of 1 to 64 visible characters after trimming', () => {
    assert.equal(valueOf(checkName('  A reader ')), 'A reader')
    assert.equal(valueOf(checkName('𠮷'.repeat(64))), '𠮷'.repeat(64))
    for (const name of ['', ' ', '\u3000', 'a\nb', 'a\0b', 'a\u202eb', 'a\ud800b', '𠮷'.repeat(65)])
      assert.equal(codeOf(checkName(name)), 'name_invalid', JSON.stringify(name))
  })

  it('treat an empty nickname or picture as missing', () => {
    for (const none of [null, '', ' ']) {
      assert.deepEqual(checkNickname(none), { value: null })
      assert.deepEqual(checkPicture(none), { value: null })
    }
    assert.equal(valueOf(checkNickname(' nick ')), 'nick')
    assert.equal(codeOf(checkNickname('n'.repeat(65))), 'nickname_invalid')
  })

  it('accept only https URLs without credentials as the picture', () => {
    assert.equal(
      valueOf(checkPicture('https://example.org/a b.png')),
      'https://example.org/a%20b.png',
    )
    for (const picture of [
      'http://example.org/a.png',
      'javascript:alert(1)',
      'data:image/png,x',
      'https://user:word@example.org/',
      'a.png',
      `https://example.org/${'x'.repeat(2_048)}`,
      `https://example.org/${'字'.repeat(300)}`,
    ])
      assert.equal(codeOf(checkPicture(picture)), 'picture_invalid', picture)
  })

  it('accept a bio of up to 1000 characters and normalize its line endings', () => {
    assert.equal(valueOf(checkBio(' one\r\ntwo\rthree\n')), 'one\ntwo\nthree')
    assert.equal(valueOf(checkBio('')), '')
    assert.equal(valueOf(checkBio('𠮷'.repeat(1_000))), '𠮷'.repeat(1_000))
    assert.equal(codeOf(checkBio('𠮷'.repeat(1_001))), 'bio_too_long')
    assert.equal(codeOf(checkBio('a\0')), 'bio_invalid')
  })

  it('accept a password of 8 to 1000 characters that is not a common one', () => {
    const check = (password: string) => codeOf(checkNewPassword(password, 'Reader@example.org'))
    assert.equal(valueOf(checkNewPassword(' spaces stay ', 'a@b')), ' spaces stay ')
    assert.equal(check('x1y2z3!a'), undefined)
    assert.equal(check('𠮷'.repeat(7)), 'password_too_short')
    assert.equal(check('ab'.repeat(500)), undefined)
    assert.equal(check(`${'ab'.repeat(500)}c`), 'password_too_long')
    assert.equal(check('reader@EXAMPLE.org'), 'password_is_email')
    for (const common of ['12345678', 'PassWord1', 'aaaaaaaaaa', 'woaini520'])
      assert.equal(check(common), 'password_common')
  })
})
