import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chineseTitle, englishTitle, koreanTitle, originTitle, romajiTitle } from './titles.ts'

describe('a work’s titles', () => {
  const title = (lang: string, text: string, official = false) => ({ lang, title: text, official })

  it('include the title in the original language, or else the first title', () => {
    const titles = [title('en', 'E'), title('ja', 'J')]
    assert.equal(originTitle(titles, 'ja'), 'J')
    assert.equal(originTitle(titles, 'ko'), 'E')
    assert.equal(originTitle(titles, null), 'E')
    assert.equal(originTitle([], 'ja'), null)
  })

  it('include a Chinese title unless the work is Chinese, preferring simplified and official titles', () => {
    const titles = [
      title('zh', 'unknown', true),
      title('zh-Hant', 'traditional', true),
      title('zh-Hans', 'by readers'),
      title('zh-Hans', 'official', true),
      title('zh-Hans', 'official too', true),
    ]
    assert.equal(chineseTitle(titles, 'ja'), 'official')
    assert.equal(chineseTitle(titles.slice(0, 3), 'ja'), 'by readers')
    assert.equal(chineseTitle(titles.slice(0, 2), null), 'traditional')
    assert.equal(chineseTitle(titles.slice(0, 1), 'ja'), 'unknown')
    assert.equal(chineseTitle([title('en', 'E')], 'ja'), null)
    assert.equal(chineseTitle(titles, 'zh-Hant'), null)
  })

  it('include an English title, preferably an official one', () => {
    const titles = [
      title('ja', 'J', true),
      title('en', 'by readers'),
      title('en', 'official', true),
    ]
    assert.equal(englishTitle(titles), 'official')
    assert.equal(englishTitle(titles.slice(0, 2)), 'by readers')
    assert.equal(englishTitle(titles.slice(0, 1)), null)
  })

  it('include a Korean title unless the work is Korean', () => {
    const titles = [title('ko', 'by readers'), title('ko', 'official', true)]
    assert.equal(koreanTitle(titles, 'ja'), 'official')
    assert.equal(koreanTitle(titles, 'ko'), null)
    assert.equal(koreanTitle([], 'ja'), null)
  })

  it('include the original title in Latin letters', () => {
    const titles = [
      { ...title('zh', 'C'), latin: 'Latin C' },
      { ...title('ja', 'J'), latin: 'Latin J' },
    ]
    assert.equal(romajiTitle(titles, 'ja'), 'Latin J')
    assert.equal(romajiTitle(titles, 'en'), 'Latin C')
    assert.equal(romajiTitle([title('ja', 'J')], 'ja'), null)
  })
})
