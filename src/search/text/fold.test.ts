import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { arbitraryText, fc } from '#test/arbitrary-text.ts'
import { foldWords } from './fold.ts'
import { canonicalHan } from './han-variants.ts'

/** Names that fold to the same words. The words come first. */
function assertFoldsTo(text: string, ...names: string[]): void {
  for (const name of names) assert.equal(foldWords(name).join(' '), text, name)
}

/** Names that are equal if spaces are removed. */
function assertSqueezesTo(text: string, ...names: string[]): void {
  for (const name of names) assert.equal(foldWords(name).join(''), text, name)
}

describe('foldWords', () => {
  it('ignores case, width and accents of Latin and Cyrillic letters', () => {
    assertFoldsTo('clannad', 'CLANNAD', 'ＣＬＡＮＮＡＤ', 'ℂlannad')
    assertFoldsTo('realta nua', 'Réalta Nua', 'REALTA NUA')
    assertFoldsTo('gdy zaplacza cykady', 'Gdy zapłaczą cykady')
    assertFoldsTo('sayanin sarkisi', 'Saya’nın Şarkısı', "SAYA'NIN ŞARKISI")
    assertFoldsTo('ежик', 'Ёжик', 'ежик')
    assertFoldsTo('strasse', 'Straße', 'STRASSE', 'straẞe')
    assertFoldsTo('αθηνασ', 'Αθήνας', 'ΑΘΗΝΑΣ')
  })

  it('keeps Hangul syllables whole', () => {
    assertFoldsTo('마법사의 밤', '마법사의 밤', '마법사의 밤'.normalize('NFD'))
    assert.deepEqual(foldWords('마법사ABC'), ['마법사', 'abc'])
  })

  it('treats hiragana and katakana of any width as equal, including those with voicing marks', () => {
    assertFoldsTo('しゅたいんず げと', 'シュタインズ・ゲート', 'しゅたいんず・げーと', 'ｼｭﾀｲﾝｽﾞ･ｹﾞｰﾄ')
    assertFoldsTo('がぱ', 'ガパ', 'ガパ'.normalize('NFD'), 'ｶﾞﾊﾟ')
    assertFoldsTo('ばいおれっと', 'ヴァイオレット', 'バイオレット')
    assertFoldsTo('ああ', 'あ゙あ゙')
    assertFoldsTo('関け原', '関ヶ原', '関ケ原', '關ヶ原')
    assertFoldsTo('一か月', '一ヵ月', '一カ月')
  })

  it('drops long-vowel marks', () => {
    assertSqueezesTo('らめん', 'ラーメン', 'ら～めん', 'ラ〜メン', 'ﾗｰﾒﾝ')
  })

  it('expands repetition marks', () => {
    assertFoldsTo('佐佐木', '佐々木', '佐〻木', '佐佐木')
    assertFoldsTo('こころ', 'こゝろ', 'ココロ')
    assertFoldsTo('すずき', 'すゞき', 'スヾキ')
    assert.deepEqual(foldWords('々木'), ['木'])
  })

  it('treats simplified, traditional and Japanese forms of a Han character as equal', () => {
    const forms =
      '桜櫻樱 剣劍剑 竜龍龙 恋戀 姫姬 沢澤泽 広廣广 楽樂乐 気氣气 円圓圆 戦戰战 学學 国國 図圖图 対對对 単單单 発發发 黒黑 歩步 歳歲岁 売賣卖 ' +
      '読讀读 続續续 変變变 実實实 写寫写 声聲 鉄鐵铁 伝傳传 転轉转 応應应 壊壞坏 覚覺觉 観觀观 帰歸归 戯戲戏 挙擧舉举 郷鄉乡 駆驅驱 県縣县 顕顯显 ' +
      '験驗验 厳嚴严 斎齋斋 斉齊齐 雑雜杂 釈釋释 従從从 縦縱纵 渋澁澀涩 焼燒烧 乗乘 譲讓让 真眞 穂穗 髄髓 数數 静靜 浅淺 銭錢钱 繊纖纤 禅禪 双雙 ' +
      '総總总 騒騷骚 蔵藏 臓臟脏 択擇择 担擔 団團团 断斷 弾彈弹 遅遲迟 虫蟲 昼晝昼 聴聽听 鎮鎭镇 点點 党黨 稲稻 闘鬪斗 徳德 弐貳 悩惱恼 脳腦脑 ' +
      '覇霸 拝拜 廃廢废 麦麥 蛮蠻蛮 払拂 仏佛 弁辯 宝寶 豊豐丰 訳譯译 薬藥药 予豫 余餘 誉譽誉 揺搖摇 様樣样 来來 頼賴赖 乱亂 竜龍 両兩两 霊靈灵 ' +
      '齢齡龄 労勞劳 楼樓 録錄录 湾灣 万萬 凛凜 蝉蟬蝉 麺麵面 鴎鷗鸥 館舘馆 島嶋岛 涙淚泪 崎﨑嵜碕 高髙 吉𠮷 噛嚙 蝋蠟蜡 焔焰 艶豔艳 渕淵渊 辺邊邉边 讚讃赞 蘇甦苏 託托 剣劒'
    for (const group of forms.split(' '))
      assert.equal(new Set([...group].map((form) => foldWords(form).join(''))).size, 1, group)
  })

  it('distinguishes characters that differ in Japanese: 咲 and 笑, 象 and 像, 暗 and 闇', () => {
    for (const pair of ['咲笑', '坂埼', '象像', '暗闇', '二一', '燕宴', '辺道', '日目', '大太'])
      assert.equal(new Set([...pair].map((char) => foldWords(char).join(''))).size, 2, pair)
  })

  it('drops punctuation, symbols and invisible characters', () => {
    assertFoldsTo('steins gate', 'STEINS;GATE', ' Steins ; Gate ', '«Steins»—Gate™')
    assertFoldsTo('cross channel', 'CROSS†CHANNEL')
    assertFoldsTo('ᄏᄏ', 'ㅋㅋ ㅏ')
    assertFoldsTo('a', 'aㅏ')
    assertFoldsTo('ก', 'ัก')
    assertFoldsTo('dont say', 'Don’t\u200b say', "don't\u202e say", 'd\u00adont say')
    assertSqueezesTo('第2巻', '第２巻', '第 2 巻')
  })

  it('replaces signs that are read aloud, such as & and +, with words', () => {
    assertFoldsTo('rewrite plus', 'Rewrite+', 'Rewrite＋', 'rewrite plus')
    assertFoldsTo('spice and wolf', 'Spice & Wolf', 'SPICE＆WOLF', 'spice and wolf')
    assertFoldsTo('spy x family', 'SPY×FAMILY', 'Spy x Family')
    assertFoldsTo('dengeki bunko and wolf', 'Dengeki Bunko & Wolf')
    assertFoldsTo('z and 9', 'Z&9')
    assertFoldsTo('月姫 dr', '月姫&Dr.')
    assertFoldsTo('dr 月姫 x', 'Dr&月姫x')
    assertFoldsTo('a b', 'a - + b')
    assert.deepEqual(foldWords('々 +'), ['々+'])
    assert.deepEqual(foldWords('々+'), ['々+'])
  })

  it('splits words where the script changes', () => {
    assert.deepEqual(foldWords('マブラヴALTERNATIVE'), ['まぶらぶ', 'alternative'])
    assert.deepEqual(foldWords('竜騎士07'), [foldWords('龍騎士').join(''), '07'])
  })

  it('keeps a name that consists of symbols and returns no words for invisible text', () => {
    assert.deepEqual(foldWords('★ ☆'), ['★☆'])
    assert.deepEqual(foldWords('❤\ufe0f'), foldWords('❤'))
    assert.deepEqual(foldWords('ゝ゛'), foldWords('ゞ'))
    assert.deepEqual(foldWords(' \u0000\u200b\ud800\u3000'), [])
  })

  it('limits the length of the result to 200 characters', () => {
    assert.equal(foldWords('木'.repeat(10_000)).join('').length, 200)
    assert.deepEqual(foldWords(`${'木'.repeat(198)}𩸽𩸽`), [`${'木'.repeat(198)}𩸽`])
    assert.deepEqual(foldWords(`${'木'.repeat(199)}𩸽𩸽`), ['木'.repeat(199)])
    assert.deepEqual(foldWords(`${'a'.repeat(150)} ${'b'.repeat(49)}𩸽 c`), [
      'a'.repeat(150),
      'b'.repeat(49),
    ])
    assert.deepEqual(foldWords(`${'★'.repeat(400)}木`), ['★'.repeat(200)])
    assert.deepEqual(foldWords(`${' '.repeat(10_000)}a${'\n'.repeat(10_000)}b`), ['a', 'b'])
  })

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText(20), names()), (name) => {
        const text = foldWords(name)
        assert.deepEqual(foldWords(text.join(' ')), text)
        assert.equal(foldWords(text.join('')).join(''), text.join(''))
      }),
      { numRuns: 500 },
    )
  })
})

describe('the table of Han variants', () => {
  it('maps each form of a character to the first form, and has no other entries', () => {
    const lines = readFileSync(new URL('han-variants.txt', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    assert.ok(lines.length > 6_000)
    const canonical = new Map(lines.flatMap(([...forms]) => forms.map((form) => [form, forms[0]])))
    assert.equal(canonical.size, lines.join('').match(/./gsu)?.length)
    for (let code = 0x3400; code <= 0x33000; code++) {
      const char = String.fromCodePoint(code)
      assert.equal(String.fromCodePoint(canonicalHan(code)), canonical.get(char) ?? char)
    }
  })
})

/** Letters, marks and signs that folding treats specially. */
function names() {
  const unit = fc.constantFrom(
    ..."aAzZøßıİΣςё09 ・-+&×✕.'ー～々ゝゞヽヾ〻ヶヵっャヴァゔぁかガｶﾞﾟ゛漢汉國国龍龙가힣각\u3099\u309a\u0301\u0e31ﾊ㍿Ⅱ①★",
  )
  return fc.string({ unit, maxLength: 30 })
}
