import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chooseLanguage, findLanguage } from './languages.ts'

describe('the language of a page', () => {
  it("follows the app's request, then the cookie, then the browser", () => {
    const preferences = { uiLocales: 'ja', cookie: 'zh-Hans', acceptLanguage: 'en' }
    assert.equal(chooseLanguage(preferences), 'ja')
    assert.equal(chooseLanguage({ ...preferences, uiLocales: 'fr de' }), 'zh-Hans')
    assert.equal(chooseLanguage({ ...preferences, uiLocales: undefined, cookie: 'xx' }), 'en')
  })

  it('is the first supported language of `ui_locales`', () => {
    assert.equal(chooseLanguage({ uiLocales: 'fr-CA zh-TW ja en' }), 'zh-Hant')
    assert.equal(chooseLanguage({ uiLocales: '  ja_JP ' }), 'ja')
  })

  it("is the Chinese variant of the tag's script or region", () => {
    for (const tag of ['zh', 'zh-CN', 'zh-SG', 'zh-Hans', 'ZH-hans-cn', 'zh-Hans-TW'])
      assert.equal(chooseLanguage({ acceptLanguage: tag }), 'zh-Hans', tag)
    for (const tag of ['zh-TW', 'zh-HK', 'zh-MO', 'zh_tw', 'zh-Hant', 'zh-hant-hk', 'zh-Hant-CN'])
      assert.equal(chooseLanguage({ acceptLanguage: tag }), 'zh-Hant', tag)
  })

  it('is Korean whatever the region of the tag', () => {
    for (const tag of ['ko', 'ko-KR', 'ko-KP', 'ko-Kore'])
      assert.equal(chooseLanguage({ acceptLanguage: tag }), 'ko', tag)
  })

  it('ignores script and region for a language with a single variant', () => {
    for (const tag of ['ja-Latn', 'ja-JP-u-ca-japanese', 'ja-US'])
      assert.equal(chooseLanguage({ acceptLanguage: tag }), 'ja', tag)
  })

  it('follows the quality values of Accept-Language, and the order of tags with equal values', () => {
    assert.equal(chooseLanguage({ acceptLanguage: 'fr, en;q=0.5, ja;q=0.8' }), 'ja')
    assert.equal(chooseLanguage({ acceptLanguage: 'zh-CN,zh;q=0.9,en;q=0.8' }), 'zh-Hans')
    assert.equal(chooseLanguage({ acceptLanguage: 'ja;q=0.7,en;q=0.7' }), 'ja')
    assert.equal(chooseLanguage({ acceptLanguage: 'ja;q=0, zh;q=0.1' }), 'zh-Hans')
    assert.equal(chooseLanguage({ acceptLanguage: 'ja ; Q = 0.2 , zh;q=0.1' }), 'ja')
  })

  it('is English if nothing matches', () => {
    for (const acceptLanguage of ['', '*', 'fr', 'jav', ';;q=,', 'ja;q=0'])
      assert.equal(chooseLanguage({ acceptLanguage }), 'en', acceptLanguage)
    assert.equal(chooseLanguage({}), 'en')
  })

  it('is switched only by an exact tag', () => {
    assert.equal(findLanguage('zh-Hans'), 'zh-Hans')
    for (const tag of ['zh', 'EN', ['ja'], undefined, ''])
      assert.equal(findLanguage(tag), undefined)
  })
})
