import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { PlainBrowser, type Visit } from '#test/browser.ts'
import { createLibraryUser, worksOfEachKind } from '#test/library-user.ts'
import { shareService } from '#test/shared-service.ts'
import type { TestService } from '#test/service.ts'
import { queryText } from '../db/query.ts'
import { isLatin } from '../i18n/latin-name.ts'
import { LANGUAGES } from '../i18n/languages.ts'

const GAME = '/galgames/5'
const ORIGINAL = 'planetarian ～ちいさなほしのゆめ～'
const ENGLISH = 'planetarian ~Dream of Little Star~'
const ROMAJI = 'planetarian ~Chiisana Hoshi no Yume~'
const KOREAN = 'planetarian ~작은 별의 꿈~'

const headingOf = ({ text }: Visit) => /<h1[^>]*>([^<]*)</.exec(text)?.[1]

/** Titles of the cards, rows and results of a page. */
const titlesIn = ({ text }: Visit) =>
  [
    ...text.matchAll(
      /<span class="(?:entry-title|name)"[^>]*>([^<]*)<|<td><a href="[^"]*"[^>]*>([^<]*)</g,
    ),
  ].map(([, card, row]) => card ?? row)

describe('titles on pages', () => {
  let service: TestService
  before(async () => {
    service = await shareService()
  })
  after(() => service.close())

  const browserIn = (language: string) => {
    const browser = new PlainBrowser(service.url)
    browser.headers['accept-language'] = language
    return browser
  }

  it('are those of the page’s language, else in Latin letters, else the original ones', async () => {
    const expected = {
      en: ENGLISH,
      ja: ORIGINAL,
      ko: KOREAN,
      'zh-Hans': 'planetarian',
      'zh-Hant': 'planetarian',
    }
    for (const language of LANGUAGES) {
      const browser = browserIn(language)
      const title = expected[language]
      assert.equal(headingOf(await browser.get(GAME)), title, language)
      for (const path of ['/galgames', '/galgames?view=table', '/search?q=planetarian'])
        assert.ok(titlesIn(await browser.get(path)).includes(title), `${language} ${path}`)
    }
  })

  it('are never Chinese for an English reader', async () => {
    const browser = browserIn('en')
    const title = async (path: string) => headingOf(await browser.get(path))
    assert.equal(await title('/mangas/103'), 'Chobits')
    assert.equal(await title('/mangas/137'), 'Fullmetal Alchemist')
    assert.equal(await title('/light-novels/138'), 'Haruhi Suzumiya')
    assert.equal(await title('/characters/1'), 'Okazaki Tomoya')
    const cast = (await browser.get('/galgames/1')).text
    assert.match(cast, />Okazaki Tomoya</)
    const feed = (await browser.get('/feeds/new.atom')).text
    assert.match(feed, /<title>Haruhi Suzumiya<\/title>/)
    assert.match(feed, /<summary>Manga · 鋼の錬金術師 · 12 Jul 2001<\/summary>/)
    const character = await browser.get('/search?q=Okazaki%20Tomoya')
    assert.ok(titlesIn(character).includes('Okazaki Tomoya'))
    assert.match(character.text, /Character · CLANNAD/)
    const names = titlesIn(await browser.get('/mangas'))
    assert.ok(
      names.filter((name) => name !== undefined && isLatin(name)).length >= names.length / 4,
    )
  })

  it('follow a guest’s choice, also for cached pages', async () => {
    const browser = browserIn('en')
    const footer = await browser.get('/galgames?sort=date')
    assert.match(footer.text, /href="\/galgames\?sort=date&amp;titles=original"/)
    const chosen = await browser.get('/galgames?sort=date&titles=original')
    assert.equal(new URL(chosen.url).search, '?sort=date')
    assert.equal(browser.cookies()['mokuroku-titles'], 'original')
    assert.ok(titlesIn(chosen).includes(ORIGINAL))
    assert.equal(headingOf(await browser.get(GAME)), ORIGINAL)
    await browser.get(`${GAME}?titles=romaji`)
    assert.equal(headingOf(await browser.get(GAME)), ROMAJI)
    assert.equal(headingOf(await browserIn('en').get(GAME)), ENGLISH)
    // An unknown choice is ignored.
    await browser.get(`${GAME}?titles=latin`)
    assert.equal(headingOf(await browser.get(GAME)), ROMAJI)
    browser.setCookie('mokuroku-titles', 'latin')
    assert.equal(headingOf(await browser.get(GAME)), ENGLISH)
  })

  it('determine the order of lists sorted by name', async () => {
    const unescaped = (text: string) =>
      text
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&#39;', "'")
        .replaceAll('&quot;', '"')
        .replaceAll('&#96;', '`')
        .replaceAll('&amp;', '&')
    for (const [language, titles] of [
      ...LANGUAGES.flatMap((each) => [[each, 'translated'] as const, [each, 'original'] as const]),
      ['en', 'romaji'] as const,
    ]) {
      const browser = browserIn(language)
      browser.setCookie('mokuroku-titles', titles)
      for (const path of ['galgames', 'light-novels', 'people', 'producers', 'characters']) {
        const page = await browser.get(`/${path}?sort=name&view=table`)
        const shown = titlesIn(page).map((title) => unescaped(title ?? ''))
        const [row] = await queryText<{ names: string[] }>(
          service.db,
          `select array(
             select fold_name(title) from unnest($1::text[]) with ordinality shown (title, place) order by place
           ) as names`,
          [shown],
        )
        const names = row?.names ?? []
        assert.ok(names.length > 5, path)
        const bytewise = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        assert.deepEqual(names, bytewise, `${language} ${titles} ${path}`)
      }
    }
  })

  it('begin with the chosen letter', async () => {
    const browser = browserIn('en')
    const page = await browser.get('/characters?sort=name&starts=o&view=table')
    const shown = titlesIn(page)
    assert.ok(shown.includes('Okazaki Tomoya'))
    assert.deepEqual(
      shown.filter((name) => !/^o/i.test(name ?? '')),
      [],
    )
    assert.match(page.text, new RegExp(`>${shown.length} entries<`))
    assert.match(page.text, /<a href="[^"]*starts=o[^"]*" aria-current="true">O</)
    const others = titlesIn(await browser.get('/characters?sort=name&starts=other&view=table'))
    assert.deepEqual(
      others.filter((name) => /^[a-z0-9]/i.test(name ?? '')),
      [],
    )
    // The letter applies only to lists that are sorted by name, and unknown ones are ignored.
    for (const query of ['starts=o', 'sort=name&starts=oo'])
      assert.ok(titlesIn(await browser.get(`/characters?${query}`)).length > shown.length)
  })

  it('follow a user’s preference, regardless of cookies', async () => {
    const user = await createLibraryUser(service, await worksOfEachKind(service))
    const { browser } = user
    browser.headers['accept-language'] = 'en'
    await user.mark({ status: 'PLAN', rate: '' }, 'galgames/5')
    assert.match((await browser.get('/library')).text, new RegExp(`>${ENGLISH}<`))
    const page = await browser.get('/account/preferences')
    const form = page.forms.find(({ action }) => action === '/account/preferences')
    assert.match(page.text, /<option value="translated" selected>/)
    const refused = await browser.submit(page, { titles: 'latin' }, form)
    assert.equal(refused.status, 422)
    await browser.submit(page, { titles: 'romaji' }, form)
    browser.setCookie('mokuroku-titles', 'original')
    assert.match((await browser.get('/library')).text, new RegExp(`>${ROMAJI}<`))
    const work = await browser.get(GAME)
    assert.equal(headingOf(work), ROMAJI)
    assert.doesNotMatch(work.text, /titles=original/)
    // Saving another preference keeps this one.
    await browser.submit(await browser.get('/account/preferences'), { spoilers: 'yes' }, form)
    assert.equal(headingOf(await browser.get(GAME)), ROMAJI)
  })

  it('name their languages', async () => {
    const langOf = (title: string, text: string) =>
      new RegExp(`lang="([^"]*)"[^>]*>${title}<`).exec(text)?.[1]
    const list = async (language: string) => (await browserIn(language).get('/galgames')).text
    assert.equal(langOf(ORIGINAL, await list('ja')), 'ja')
    assert.equal(langOf(KOREAN, await list('ko')), 'ko')
    assert.equal(langOf('planetarian', await list('zh-Hans')), undefined)
    const browser = browserIn('ja')
    assert.equal(langOf(ROMAJI, (await browser.get('/galgames?titles=romaji')).text), 'ja-Latn')
  })
})
