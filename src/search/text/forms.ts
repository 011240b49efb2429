import { foldWords } from './fold.ts'
import { romanizeKana } from './kana.ts'
import { readNumerals } from './numerals.ts'
import { pinyinOf } from './pinyin.ts'
import { foldRomaji } from './romaji.ts'

/** A form under which a name is found, folded. */
export type NameForm = {
  /** In one piece, without spaces. */
  text: string
  /** The same in words; a run of Han and kana is one. */
  words: string[]
  /** As it is written, or as it is read aloud: kana and Latin letters in one spelling, pinyin. */
  kind: 'name' | 'reading'
}

/**
 * All forms of a name, the name itself first; none where nothing can be seen.
 *
 * @param options `chinese`: whether the name is one in Chinese, so that it is found by pinyin
 */
export function formsOfName(name: string, { chinese }: { chinese: boolean }): NameForm[] {
  const words = foldWords(name)
  if (words.length === 0) return []
  const numbered = readNumerals(words)
  const forms = [...formsOfWords(words), ...(numbered ? formsOfWords(numbered) : [])]
  if (chinese)
    forms.push(
      ...pinyinOf(name).map((text): NameForm => ({ text, words: [text], kind: 'reading' })),
    )
  return distinctForms(forms)
}

/** Folded words as they are written and, where that differs, as they are read. */
export function formsOfWords(words: string[]): NameForm[] {
  const name: NameForm = { text: words.join(''), words, kind: 'name' }
  const romanized = words.map(romanizeKana)
  // Spellings are made one over the ends of words too: nobody has to know where they are.
  const text = foldRomaji(romanized.join(''))
  const reading: NameForm = {
    text,
    words: words.length === 1 ? [text] : romanized.map(foldRomaji).filter((word) => word !== ''),
    kind: 'reading',
  }
  return text === '' || (text === name.text && reading.words.join(' ') === words.join(' '))
    ? [name]
    : [name, reading]
}

/** Each text once, as what it was first. */
export function distinctForms(forms: NameForm[]): NameForm[] {
  const texts = new Map<string, NameForm>()
  for (const form of forms) if (!texts.has(form.text)) texts.set(form.text, form)
  return [...texts.values()]
}

/**
 * What of a form is indexed, and asked for, each once: of Han, kana and Hangul single characters and pairs, of other letters
 * and digits pairs and threes. All of a text's are among those of a text that contains it. A single Latin letter has none.
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
    if (
      next !== undefined &&
      third !== undefined &&
      isLetter[at] &&
      isLetter[at + 1] &&
      isLetter[at + 2]
    )
      grams.add(char + next + third)
  })
  return [...grams]
}

/** Letters of alphabets, and digits: everything that is written below the blocks of East Asia, Hangul apart. */
export const isAlphabetic = (code: number): boolean =>
  code < 0x1100 || (code > 0x11ff && code < 0x2000)
