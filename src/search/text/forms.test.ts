import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { arbitraryText, fc } from '#test/arbitrary-text.ts'
import { formsOfName, formsOfWords, gramsOf } from './forms.ts'
import { foldWords } from './fold.ts'

const textsOf = (name: string, chinese = false) =>
  formsOfName(name, { chinese }).map(({ text }) => text)
/** Returns the reading of a name, or the name itself if its reading is the same. */
const readingOf = (name: string) => formsOfWords(foldWords(name)).at(-1)?.text ?? ''

/** Names with the same reading. */
function assertSameForms(...names: string[]): void {
  const [first = '', ...others] = names
  for (const name of others) assert.equal(readingOf(name), readingOf(first), `${name}, ${first}`)
}

describe('readings', () => {
  it('are the same for kana and all their romanizations', () => {
    assertSameForms('クラナド', 'kuranado', 'くらなど')
    assertSameForms('つきひめ', 'tsukihime', 'tukihime', 'TSUKIHIME')
    assertSameForms('ちょびっツ', 'chobittsu', 'tyobittu')
    assertSameForms('ふじばやし', 'fujibayashi', 'hujibayasi', 'huzibayasi')
    assertSameForms('しゃしゅしょちゃじゃ', 'shashushochaja', 'syasyusyotyazya', 'shashushochajya')
    assertSameForms('づらはなぢ', 'zurahanaji', 'durahanadi', 'dzurahanadzi')
    assertSameForms('まっちゃ', 'matcha', 'maccha', 'mattya')
    assertSameForms('しんぶん', 'shinbun', 'shimbun', 'sinbun')
    assertSameForms('しんいち', 'shin’ichi', "shin'ichi", 'shinichi')
    assertSameForms('こころをうつ', 'kokoro o utsu', 'kokoro wo utsu')
    assertSameForms('ヴァイオレット', 'vaioretto', 'baioretto')
    assertSameForms('ティーカップ', 'tiikappu', 'tīkappu')
    assertSameForms('ファン', 'fan')
    assertSameForms('ウィズ', 'wizu')
    assertSameForms('シェル', 'sheru', 'syeru')
    assertSameForms('アルクェイド', 'アルクエイド', 'arukueido')
    assertSameForms('ツァラトゥストラ', 'tsaratusutora')
    assertSameForms('スィーツ', 'shiitsu')
    assertSameForms('うぅん', 'うーん')
    assertSameForms('しぃちゃん', 'shiichan')
    assertSameForms('ヘィ', 'hei')
    assertSameForms('デァ', 'dea')
    assertSameForms('コゥ', 'kou')
    assertSameForms('ドァ', 'doa')
    assertSameForms('なぁ', 'naa')
    assertSameForms('きんゃ', 'kinya')
    assertSameForms('ぢゃ', 'dya', 'ja')
    assertSameForms('おひょう', 'ohyou')
    assertSameForms('さんぽ', 'sampo')
    assertSameForms('ぐんま', 'gumma')
    assertSameForms('さとうし', 'satohshi')
    assertSameForms('ラーメン', 'raamen')
    assertSameForms('ピザ', 'pizza')
  })

  it('are the same however a long vowel is spelled, even if it is shortened', () => {
    assertSameForms('こうさか', 'kousaka', 'kosaka', 'kōsaka', 'kôsaka', 'kohsaka', 'コーサカ')
    assertSameForms('とおさか', 'toosaka', 'tousaka', 'tohsaka', 'tōsaka')
    assertSameForms('ゆうき', 'yuuki', 'yuki', 'yūki', 'ユーキ')
    assertSameForms('おにいちゃん', 'おにーちゃん', 'oniichan', 'onichan')
    assert.notEqual(readingOf('おはよう'), readingOf('おあよう'))
  })

  it('keep Han characters, and differ for foreign words that only look similar', () => {
    assert.equal(readingOf('乙女の剣'), '乙女no剣')
    for (const [first, second] of [
      ['night', 'knight'],
      ['air', 'ear'],
      ['fan', 'han'],
      ['mana', 'nana'],
      ['wara', 'ara'],
      ['mahjong', 'majong'],
      ['22', '2'],
      ['ohyo', 'oyo'],
      ['tsa', 'ta'],
    ] as const)
      assert.notEqual(readingOf(first), readingOf(second))
    assert.equal(readingOf('Nightshade'), 'nightsyade')
  })

  it('begin with the reading of every partially typed form of the name', () => {
    for (const [name, typed] of [
      ['つきひめ', 'ts tsu tsuk tsukih'],
      ['しゃな', 's sh sha shan'],
      ['しき', 's sh shi'],
      ['じゃがー', 'j ja jag'],
    ] as const)
      for (const part of typed.split(' '))
        assert.ok(readingOf(name).startsWith(readingOf(part)), `${name} begins with ${part}`)
  })
})

describe('forms of a name', () => {
  it('are the name and, if different, its reading', () => {
    assert.deepEqual(formsOfName('月姫', { chinese: false }), [
      { text: '月姫', words: ['月姫'], kind: 'name' },
    ])
    assert.deepEqual(formsOfName('くらなど 2', { chinese: false }), [
      { text: 'くらなど2', words: ['くらなど', '2'], kind: 'name' },
      { text: 'kuranado2', words: ['kuranado', '2'], kind: 'reading' },
    ])
  })

  it('include Roman numerals both as letters and as digits', () => {
    for (const name of ['ランスII', 'ランスⅡ', 'ランス ⅱ']) {
      assert.ok(textsOf(name).includes('らんすii'), name)
      assert.ok(textsOf(name).includes('らんす2'), name)
    }
    const numerals = ['II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX', 'X', 'XI', 'XII', 'XIII']
    for (const [index, numeral] of numerals.entries())
      assert.ok(textsOf(`Rance ${numeral}`).includes(`rance${index + 2}`), numeral)
    assert.deepEqual(textsOf('X'), ['x'])
    assert.ok(!textsOf('SPY X FAMILY').includes('spy10family'))
    assert.deepEqual(textsOf('constructor prototype'), ['constructorprototype'])
  })

  it('include pinyin for a Chinese name, in full and as initials', () => {
    assert.deepEqual(textsOf('海猫鸣泣之时', true), [
      '海猫鳴泣之時',
      'haimaomingqizhishi',
      'hmmqzs',
    ])
    assert.ok(textsOf('白色相簿2', true).includes('baisexiangbu2'))
    assert.ok(textsOf('白色相簿2', true).includes('bsxb2'))
    for (const typed of ['yingxiongchuanshuo', 'yingxiongzhuanshuo'])
      assert.ok(textsOf('英雄传说', true).includes(typed), typed)
    assert.ok(textsOf('Fate 英雄', true).includes('fateyingxiong'))
    assert.ok(textsOf('月姬12', true).includes('yj12'))
    assert.deepEqual(textsOf('月', true), ['月', 'yue'])
    assert.equal(textsOf('海'.repeat(61), true)[1], 'hai'.repeat(60))
    assert.equal(textsOf('长角行', true).length, 6)
    for (const typed of ['lvsemeishaonv', 'lusemeishaonu'])
      assert.ok(textsOf('绿色美少女', true).includes(typed), typed)
  })

  it('include no reading for a name that has none', () => {
    assert.deepEqual(textsOf('っ'), ['っ'])
    assert.deepEqual(formsOfName('カ っ', { chinese: false })[1]?.words, ['ka'])
    assert.deepEqual(textsOf('海猫鸣泣之时'), ['海猫鳴泣之時'])
    assert.equal(textsOf('うみねこのなく頃に', true).length, 2)
    assert.deepEqual(textsOf('CIRCUS', true), ['circus'])
  })

  it('are few and short for every name', () => {
    fc.assert(
      fc.property(arbitraryText(40), fc.boolean(), (part, chinese) => {
        const name = part.repeat(20)
        const forms = formsOfName(name, { chinese })
        assert.ok(forms.length <= 13)
        for (const { text, words } of forms) {
          assert.ok(text.length > 0 && text.length <= 500 && text.isWellFormed())
          assert.ok(!words.includes(''))
        }
      }),
    )
  })
})

describe('grams', () => {
  const gramsOfText = (text: string) => gramsOf({ text, words: [text], kind: 'name' })

  it('are single characters and bigrams for Han, kana and Hangul, and bigrams and trigrams for letters and digits', () => {
    assert.deepEqual(gramsOfText('月姫'), ['月', '月姫', '姫'])
    assert.deepEqual(gramsOfText('밤밤'), ['밤', '밤밤'])
    assert.deepEqual(gramsOfText('key2'), ['ke', 'key', 'ey', 'ey2', 'y2'])
    assert.deepEqual(gramsOfText('第2'), ['第', '第2'])
    assert.deepEqual(gramsOfText('x'), [])
    assert.deepEqual(gramsOfText('a月bc'), ['a月', '月', '月b', 'bc'])
    assert.deepEqual(gramsOfText('ᄀᇿ'), ['ᄀ', 'ᄀᇿ', 'ᇿ'])
    assert.deepEqual(gramsOfText('ሀለሐ'), ['ሀለ', 'ሀለሐ', 'ለሐ'])
  })

  it('include all grams of every text that is contained in the given text', () => {
    const text = fc.string({ unit: fc.constantFrom(...'abc12月姫かな밤я★𠮟'), maxLength: 12 })
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        const all = new Set(gramsOfText(before + part + after))
        for (const gram of gramsOfText(part)) assert.ok(all.has(gram), gram)
      }),
    )
  })
})
