import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import { PlainBrowser } from '#test/browser.ts'
import { shareService } from '#test/shared-service.ts'
import type { TestService } from '#test/service.ts'
import { LANGUAGES, type Language } from '../../../i18n/languages.ts'
import { messagesIn } from '../../../ui/messages.ts'
import { similarReason } from './similar-reason.ts'

/** Its most similar works share staff with it. */
const GAME = '/galgames/5'

describe('the reason of a similar work', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  /** Opens the page once similar works have been computed. */
  async function open(language: string): Promise<string> {
    const browser = new PlainBrowser(service.url)
    for (let count = 0; ; count += 1) {
      const { text } = await browser.get(`${GAME}?ui_locales=${language}&x=${count}`)
      const [, similar] = text.split(`<h2>${HEADINGS[language]}</h2>`)
      if (similar !== undefined) return similar
      assert.ok(count < 300, 'similar works are not computed')
      await sleep(200)
    }
  }
  const HEADINGS: Record<string, string> = {
    en: 'Similar works',
    ja: '似ている作品',
    ko: '비슷한 작품',
    'zh-Hans': '相似作品',
    'zh-Hant': '相似作品',
  }
  const REASONS: Record<string, RegExp> = {
    en: /<p class="quiet card-text">Also by [^<]+<\/p>/,
    ja: /<p class="quiet card-text">スタッフが共通：[^<]+<\/p>/,
    ko: /<p class="quiet card-text">같은 제작진: [^<]+<\/p>/,
    'zh-Hans': /<p class="quiet card-text">相同制作人员：[^<]+<\/p>/,
    'zh-Hant': /<p class="quiet card-text">相同製作人員：[^<]+<\/p>/,
  }

  it('is below each similar work, in the language of the page', async () => {
    for (const language of LANGUAGES) {
      const similar = await open(language)
      assert.match(similar, REASONS[language] ?? /$^/, language)
      const [grid = ''] = similar.split('</ul>')
      const cards = grid.split('<li class="entry">').length
      assert.equal(grid.split('<p class="quiet card-text">').length, cards)
    }
  })

  const reasonIn = (language: Language, tags: string[]) =>
    similarReason(
      { language, titlePreference: 'translated', messages: messagesIn(language) },
      { reason: 'TAGS', traits: { id: 1, tags, makers: null } },
    )

  it('separates the names of tags with the comma of the language', () => {
    const tags = ['Romance', 'School', 'Comedy', 'Drama']
    assert.equal(reasonIn('en', tags), '4 shared tags: Romance, School, Comedy')
    assert.match(reasonIn('ja', tags), /恋愛、学園、コメディ/)
    assert.match(reasonIn('zh-Hans', tags), /恋爱、校园、喜剧/)
  })

  it('counts tags with the same meaning once', () => {
    assert.equal(reasonIn('en', ['Romance', '恋愛']), '1 shared tag: Romance')
  })
})
