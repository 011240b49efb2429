import {
  isAsciiLetter,
  isCommonHan,
  isHangul,
  isHiragana,
  isJoinedJamo,
  isLowSurrogate,
  isRepetition,
  toHiragana,
} from './code-points.ts'
import { canonicalHan } from './han-variants.ts'

/** What is read of a name: three times the longest that a catalog has. */
const MAX_READ = 400
/** What is kept of it, without spaces. */
const MAX_KEPT = 200

/** Some letters come apart into many. */
const MAX_DECOMPOSED = 3 * MAX_READ

/** A run of one class is a word of its own: `第2巻` is three. */
type CharClass = 'cjk' | 'hangul' | 'letters'

/** Letters that Unicode does not take apart. */
const LATIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
  ħ: 'h',
  ŋ: 'n',
  ə: 'e',
  ς: 'σ',
}

/** Nothing stands between the letters on both sides of these: apostrophes, and the mark of a long vowel. */
const JOINING = new Set("'’‘ʼ`´′ー")
const SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '&': 'and',
  '×': 'x',
  '✕': 'x',
  '✖': 'x',
}
const TRADEMARKS = /[™®©℠]/g
const LETTER = /[\p{L}\p{N}\p{M}]/u
const MARK = /\p{M}/u
const HAN = /\p{Script=Han}/u
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/u
const ACCENT =
  /[\u0300-\u036f]|[\u0483-\u0487]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/
const SPACE_OR_UNSEEN = /[\p{White_Space}\p{C}\p{Variation_Selector}\ufffd]/gu

/**
 * The words of a name or a query, folded: width, case, accents and compatible forms as one; katakana as hiragana, without
 * marks of length; repetition marks written out; all forms of a Han character as one; no punctuation. A run of kana and Han
 * is one word. A name of symbols alone is one word of them; where nothing can be seen there is none.
 *
 * @param toCanonical maps a Han character to the one that represents all its forms
 */
export function foldWords(name: string, toCanonical = canonicalHan): string[] {
  const text = squeezeSpaces(name).slice(0, MAX_READ).toWellFormed().replaceAll(TRADEMARKS, ' ')
  const decomposed = text.normalize('NFKD').slice(0, MAX_DECOMPOSED).toLowerCase()
  const words = new WordSplitter(decomposed, toCanonical).split()
  if (words.length > 0) return cut(words)
  // What is left may combine only now: `ゝ゛` takes its mark apart, with a space, and then has it.
  const symbols = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(SPACE_OR_UNSEEN, '')
    .normalize('NFKC')
  return symbols === '' ? [] : cut([symbols])
}

/** A text with one space for many, and none around it: what is cut off it is not decided by them. */
export function squeezeSpaces(text: string): string {
  return text.trim().replaceAll(/\s\s+/g, ' ')
}

/** One pass over a text in its decomposed form. */
class WordSplitter {
  readonly #text: string
  readonly #toCanonical: (code: number) => number
  readonly #words: string[] = []
  #word = ''
  #class: CharClass = 'letters'
  /** The last character, for the repetition marks and marks of voice behind it. */
  #last = 0

  constructor(text: string, toCanonical: (code: number) => number) {
    this.#text = text
    this.#toCanonical = toCanonical
  }

  split(): string[] {
    for (let at = 0; at < this.#text.length;) {
      const code = this.#text.codePointAt(at) ?? 0
      at += code > 0xffff ? 2 : 1
      this.#take(code, at)
    }
    this.#endWord()
    const words = this.#words.join(' ').normalize('NFC')
    return words === '' ? [] : tidyKana(words).split(' ')
  }

  #take(code: number, next: number): void {
    if (isAsciiLetter(code)) return this.#add('letters', String.fromCharCode(code), code)
    if (code <= 0x20) return this.#endWord()
    const kana = toHiragana(code)
    if (kana) return this.#add('cjk', String.fromCharCode(kana), kana)
    if (isCommonHan(code)) return this.#addHan(code)
    const char = String.fromCodePoint(code)
    if (code === 0x3099 || code === 0x309a)
      return isHiragana(this.#last) ? this.#add('cjk', char, this.#last) : undefined
    if (JOINING.has(char) || ACCENT.test(char) || INVISIBLE.test(char)) return undefined
    if (isRepetition(code)) return this.#repeat(code)
    if (HAN.test(char)) return this.#addHan(code)
    if (LETTER.test(char)) return this.#addLetter(code, char)
    this.#endWord()
    const sign = SIGNS[char]
    if (sign !== undefined && this.#isSpoken(char, next)) this.#words.push(sign)
  }

  #add(charClass: CharClass, folded: string, last: number): void {
    if (charClass !== this.#class) this.#endWord()
    this.#class = charClass
    this.#word += folded
    this.#last = last
  }

  #addLetter(code: number, char: string): void {
    const charClass = isHangul(code) ? 'hangul' : 'letters'
    // What belongs to the letter before it says nothing behind another script's, nor where a word begins.
    const follows = this.#word !== '' && this.#class === charClass
    if (follows || !(MARK.test(char) || isJoinedJamo(code)))
      this.#add(charClass, LATIN[char] ?? char, code)
  }

  #addHan(code: number): void {
    const canonical = this.#toCanonical(code)
    this.#add('cjk', String.fromCodePoint(canonical), canonical)
  }

  /** `々 ゝ ヽ` stand for the character before them; where there is none of their script they say nothing. */
  #repeat(code: number): void {
    const fits =
      code === 0x3005 || code === 0x303b ? !isHiragana(this.#last) : isHiragana(this.#last)
    if (fits && this.#class === 'cjk' && this.#word !== '')
      this.#add('cjk', String.fromCodePoint(this.#last), this.#last)
  }

  /** `Rewrite+`, `Spice & Wolf`, `SPY×FAMILY`; anywhere else the sign is decoration. */
  #isSpoken(sign: string, next: number): boolean {
    const before = this.#words.at(-1)?.at(-1) ?? ''
    if (sign === '+') return before !== '' && LETTER.test(this.#text[next - 2] ?? '')
    return (
      isAsciiLetter(before.charCodeAt(0)) &&
      isAsciiLetter(
        this.#text
          .slice(next, next + 9)
          .trimStart()
          .charCodeAt(0),
      )
    )
  }

  #endWord(): void {
    if (this.#word !== '') this.#words.push(this.#word)
    this.#word = ''
    this.#last = 0
  }
}

/** Marks of voice that no kana takes go, and `ヴァ` is as often written `バ`. */
function tidyKana(words: string): string {
  const marked = words.replaceAll(/[\u3099\u309a]/g, '')
  return marked.includes('ゔ')
    ? marked.replaceAll(/ゔ([ぁぃぇぉ]?)/g, (_, vowel: string) => VOICED_U[vowel] ?? 'ぶ')
    : marked
}

const VOICED_U: Readonly<Record<string, string>> = { ぁ: 'ば', ぃ: 'び', ぇ: 'べ', ぉ: 'ぼ' }

/** Words up to so many characters in all. */
function cut(words: string[]): string[] {
  let left = MAX_KEPT
  const kept = []
  for (const word of words) {
    // A pair of surrogates is kept whole or not at all.
    const end = word.length > left && isLowSurrogate(word.charCodeAt(left)) ? left - 1 : left
    if (end > 0) kept.push(word.slice(0, end))
    left -= word.length
    if (left <= 0) break
  }
  return kept
}
