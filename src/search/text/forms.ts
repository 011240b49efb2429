import { foldWords } from './fold.ts'
import { romanizeKana } from './kana.ts'
import { convertNumerals } from './numerals.ts'
import { pinyinOf } from './pinyin.ts'
import { foldRomaji } from './romaji.ts'

/** A folded form under which a name is found. */
export type NameForm = {
  /** Text of the form, without spaces. */
  text: string
  /** Words of the form. A run of Han and kana is one word. */
  words: string[]
  /** `name` as it is written, or `reading` as it is read aloud: romanized with unified spelling, or pinyin. */
  kind: 'name' | 'reading'
}

/**
 * Returns all forms of a name, the name itself first. A name without visible characters has no forms.
 *
 * @param options `chinese`: whether the name is Chinese, which makes it searchable by pinyin
 */
export function formsOfName(name: string, { chinese }: { chinese: boolean }): NameForm[] {
  const words = foldWords(name)
  if (words.length === 0) return []
  const numbered = convertNumerals(words)
  const forms = [...formsOfWords(words), ...(numbered ? formsOfWords(numbered) : [])]
  if (chinese)
    forms.push(
      ...pinyinOf(name).map((text): NameForm => ({ text, words: [text], kind: 'reading' })),
    )
  return distinctForms(forms)
}

/** Returns the forms of folded words: as written and as read aloud. */
export function formsOfWords(words: string[]): NameForm[] {
  const name: NameForm = { text: words.join(''), words, kind: 'name' }
  const romanized = words.map(romanizeKana)
  // Spellings are also unified across word boundaries, so that a query may omit spaces.
  const text = foldRomaji(romanized.join(''))
  const reading: NameForm = {
    text,
    words: romanized.map(foldRomaji).filter((word) => word !== ''),
    kind: 'reading',
  }
  return text === '' ? [name] : [name, reading]
}

/** Removes forms with the same text, keeping the first. */
function distinctForms(forms: NameForm[]): NameForm[] {
  const texts = new Map<string, NameForm>()
  for (const form of forms) if (!texts.has(form.text)) texts.set(form.text, form)
  return [...texts.values()]
}

/**
 * Returns the grams of a form used for indexing and searching: single characters and bigrams of Han, kana and Hangul;
 * bigrams and trigrams of other letters and digits. A single Latin letter has no grams. The grams of a string are a
 * subset of the grams of any string that contains it.
 */
export function gramsOf({ text }: NameForm): string[] {
  const chars = [...text]
  const isLetter = chars.map((char) => isAlphabetic(char.codePointAt(0) ?? 0))
  const grams = new Set<string>()
  chars.forEach((char, at) => {
    const next = chars[at + 1]
    const third = chars[at + 2]
    if (!isLetter[at]) grams.add(char)
    if (next !== undefined) grams.add(char + next)
    if (isLetter[at] && isLetter[at + 1] && isLetter[at + 2]) grams.add(`${char}${next}${third}`)
  })
  return [...grams]
}

/**
 * Returns whether a character is an alphabetic letter or digit: any character below the East Asian blocks, except
 * Hangul.
 */
export const isAlphabetic = (code: number): boolean =>
  code < 0x1100 || (code > 0x11ff && code < 0x2000)
