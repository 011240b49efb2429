import { STOP_WORDS } from './stop-words.ts'

/** Maximum length of a keyword, in UTF-16 code units. */
const MAX_LENGTH = 20
const MIN_LATIN_LENGTH = 3
const MIN_HAN_LENGTH = 2

/** Characters that mark URLs and handles. Parts of these do not describe a work. */
const NOT_PROSE = /:\/\/|@|www\./

const HAN_OR_KATAKANA = /[\p{Script=Han}\p{Script=Katakana}]/u
const LETTERS = /^[\p{L}\p{M}ー'’-]+$/u

// Chinese and Japanese share one dictionary, whatever the locale.
const segmenter = new Intl.Segmenter('zh', { granularity: 'word' })

/** Returns the distinct words of a review that can be keywords, normalized to NFKC and lower case. */
export function wordsOf(text: string): Set<string> {
  const prose = text
    .normalize('NFKC')
    .toLowerCase()
    .split(/\s/)
    .filter((part) => !NOT_PROSE.test(part))
    .join(' ')
  const words = new Set<string>()
  for (const { segment, isWordLike } of segmenter.segment(prose))
    if (isWordLike && canBeKeyword(segment)) words.add(segment)
  return words
}

function canBeKeyword(word: string): boolean {
  if (word.length > MAX_LENGTH || STOP_WORDS.has(word) || !LETTERS.test(word)) return false
  if (/^\p{Script=Hiragana}+$/u.test(word)) return false
  return word.length >= (HAN_OR_KATAKANA.test(word) ? MIN_HAN_LENGTH : MIN_LATIN_LENGTH)
}
