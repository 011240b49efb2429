import { isHiragana, isRepetitionMark, toHiragana } from './code-points.ts'
import { canonicalHan } from './han-variants.ts'

/** Maximum number of characters read from a name: three times the length of the longest known name. */
const MAX_INPUT_LENGTH = 400
/** Maximum number of characters of a folded name, without spaces. */
const MAX_FOLDED_LENGTH = 200

/** Class of a character. A run of characters of one class is a word: `第2巻` has three words. */
type CharClass = 'cjk' | 'hangul' | 'letters'

/** Letters without a Unicode decomposition. */
const LETTERS_WITHOUT_DECOMPOSITION: Readonly<Record<string, string>> = {
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

/** Characters that do not separate words: apostrophes and the long-vowel mark. */
const IGNORED_WITHIN_WORDS = new Set("'’‘ʼ`´′ー")
const SPOKEN_SIGNS: Readonly<Record<string, string>> = {
  '+': 'plus',
  '&': 'and',
  '×': 'x',
  '✕': 'x',
  '✖': 'x',
}
const TRADEMARKS = /[™®©℠]/g
const LETTER = /[\p{L}\p{N}\p{M}]/u
const MARK = /\p{M}/u
/** Hangul letters, into which normalization decomposes syllables. */
const JAMO = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/
/** Hangul vowels and final consonants. */
const NON_INITIAL_JAMO = /[\u1160-\u11ff\ud7b0-\ud7ff]/
const HAN = /\p{Script=Han}/u
const INVISIBLE = /[\p{Cf}\p{Variation_Selector}]/u
const ACCENT =
  /[\u0300-\u036f]|[\u0483-\u0487]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/
const SPACE_OR_INVISIBLE = /[\p{White_Space}\p{C}\p{Variation_Selector}\ufffd]/gu

/**
 * Splits a name or query into folded words.
 *
 * Folding removes differences in width, case, accents and compatibility forms, turns katakana into hiragana, drops
 * long-vowel marks and punctuation, expands repetition marks, and unifies the forms of Han characters. A run of kana
 * and Han is one word. A name that consists of symbols is one word; a string without visible characters has none.
 *
 * @param toCanonical maps a Han character to the one that represents all its forms
 */
export function foldWords(name: string, toCanonical = canonicalHan): string[] {
  const text = collapseSpaces(name)
    .slice(0, MAX_INPUT_LENGTH)
    .toWellFormed()
    .replaceAll(TRADEMARKS, ' ')
  const decomposed = text.normalize('NFKD').toLowerCase()
  const words = new WordSplitter(decomposed, toCanonical).split()
  if (words.length > 0) return truncate(words)
  // A second normalization may be needed: in `ゝ゛`, the first one turns `゛` into a space and a combining mark, and the
  // second one combines that mark with `ゝ`.
  const symbols = text.normalize('NFKC').replaceAll(SPACE_OR_INVISIBLE, '').normalize('NFKC')
  return truncate([symbols])
}

/** Collapses runs of spaces and trims the text, so that spaces do not affect where the text is truncated. */
export function collapseSpaces(text: string): string {
  return text.trim().replaceAll(/\s\s+/g, ' ')
}

/** Splits a decomposed string into words in one pass. */
class WordSplitter {
  readonly #text: string
  readonly #toCanonical: (code: number) => number
  readonly #words: string[] = []
  #word = ''
  #class: CharClass = 'letters'
  /** Last character, to which repetition and voicing marks apply. */
  #last = 0

  constructor(text: string, toCanonical: (code: number) => number) {
    this.#text = text
    this.#toCanonical = toCanonical
  }

  split(): string[] {
    let at = 0
    for (const char of this.#text) {
      at += char.length
      this.#take(char, at)
    }
    this.#endWord()
    const words = this.#words.join(' ').normalize('NFC')
    return words === '' ? [] : normalizeVoicing(words).split(' ')
  }

  #take(char: string, next: number): void {
    const code = char.codePointAt(0) ?? 0
    const kana = toHiragana(code)
    if (kana) return this.#add('cjk', String.fromCharCode(kana), kana)
    if (code === 0x3099 || code === 0x309a)
      return isHiragana(this.#last) ? this.#add('cjk', char, this.#last) : undefined
    if (IGNORED_WITHIN_WORDS.has(char) || ACCENT.test(char) || INVISIBLE.test(char))
      return undefined
    if (isRepetitionMark(code)) return this.#repeat(code)
    if (HAN.test(char)) return this.#addHan(code)
    if (LETTER.test(char)) return this.#addLetter(code, char)
    this.#endWord()
    const sign = SPOKEN_SIGNS[char]
    if (sign !== undefined && this.#isSpoken(char, next)) this.#words.push(sign)
  }

  #add(charClass: CharClass, folded: string, last: number): void {
    if (charClass !== this.#class) this.#endWord()
    this.#class = charClass
    this.#word += folded
    this.#last = last
  }

  #addLetter(code: number, char: string): void {
    const charClass = JAMO.test(char) ? 'hangul' : 'letters'
    // A combining character needs a preceding letter of the same script.
    const follows = this.#word !== '' && this.#class === charClass
    if (follows || !(MARK.test(char) || NON_INITIAL_JAMO.test(char)))
      this.#add(charClass, LETTERS_WITHOUT_DECOMPOSITION[char] ?? char, code)
  }

  #addHan(code: number): void {
    const canonical = this.#toCanonical(code)
    this.#add('cjk', String.fromCodePoint(canonical), canonical)
  }

  /**
   * Expands repetition marks (`々 ゝ ヽ`), which repeat the previous character. A mark after a character of another
   * script is dropped.
   */
  #repeat(code: number): void {
    const fits =
      code === 0x3005 || code === 0x303b ? !isHiragana(this.#last) : isHiragana(this.#last)
    if (fits && this.#class === 'cjk' && this.#word !== '')
      this.#add('cjk', String.fromCodePoint(this.#last), this.#last)
  }

  /**
   * Returns whether a sign is read aloud, as in `Rewrite+`, `Spice & Wolf` and `SPY×FAMILY`. Other signs are
   * decoration.
   */
  #isSpoken(sign: string, next: number): boolean {
    const before = this.#words.at(-1)?.at(-1) ?? ''
    if (sign === '+') return before !== '' && LETTER.test(this.#text[next - 2] ?? '')
    return /[a-z\d]/.test(before) && /^\s*[a-z\d]/.test(this.#text.slice(next))
  }

  #endWord(): void {
    if (this.#word !== '') this.#words.push(this.#word)
    this.#word = ''
    this.#last = 0
  }
}

/** Drops voicing marks that no kana accepts, and folds `ヴァ` to the equally common `バ`. */
function normalizeVoicing(words: string): string {
  const marked = words.replaceAll(/[\u3099\u309a]/g, '')
  return marked.includes('ゔ')
    ? marked.replaceAll(/ゔ([ぁぃぇぉ]?)/g, (_, vowel: string) => VOICED_U_SYLLABLES[vowel] ?? 'ぶ')
    : marked
}

const VOICED_U_SYLLABLES: Readonly<Record<string, string>> = {
  ぁ: 'ば',
  ぃ: 'び',
  ぇ: 'べ',
  ぉ: 'ぼ',
}

/** Truncates a list of words to the maximum total length. */
function truncate(words: string[]): string[] {
  let left = MAX_FOLDED_LENGTH
  const truncated = []
  for (const word of words) {
    const part = word.slice(0, left)
    // Never splits a surrogate pair.
    const whole = part.isWellFormed() ? part : part.slice(0, -1)
    if (whole === '') break
    truncated.push(whole)
    left -= part.length
  }
  return truncated
}
