import { hashText, hashWithout } from './gram-keys.ts'

/** Number of letters per tolerated typo. */
const LETTERS_PER_TYPO = 5
const MAX_TYPOS = 2
/** Number of leading letters used for typo keys. The rest of the word is compared later. */
const INDEXED_PREFIX_LENGTH = 7
/** Maximum length of a word with typo tolerance. Longer strings are rarely words. */
const MAX_WORD_LENGTH = 32

/** Returns the number of typos tolerated in a word: one per five letters. */
export const maxTyposIn = (word: string) =>
  Math.min(MAX_TYPOS, Math.floor(word.length / LETTERS_PER_TYPO))

/** Returns whether typos are tolerated in a word. The word must be long enough and consist of Latin letters only. */
export const mayHaveTypos = (word: string) =>
  word.length <= MAX_WORD_LENGTH && maxTyposIn(word) > 0 && /^[a-z]+$/.test(word)

/**
 * Returns hashes of the beginning of a word, with up to the tolerated number of letters removed. Two words within that
 * distance share a key.
 */
export function typoKeys(word: string): number[] {
  const end = Math.min(word.length, INDEXED_PREFIX_LENGTH)
  const typos = maxTyposIn(word)
  // Hashes letters without building strings, because an import does this for every word.
  const keys = new Set([hashText(word.slice(0, INDEXED_PREFIX_LENGTH))])
  if (typos > 0) for (let one = 0; one < end; one += 1) keys.add(hashWithout(word, end, one, one))
  if (typos > 1)
    for (let one = 0; one < end; one += 1)
      for (let other = 0; other < end - 1; other += 1)
        keys.add(hashWithout(word, end, one, other < one ? other : other + 1))
  return [...keys]
}

/**
 * Returns the edit distance between two words, counting insertions, deletions, substitutions, and transpositions of
 * adjacent letters.
 */
export function editDistance(word: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (let row = 1; row <= word.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = word[row - 1] === other[column - 1]
      const isSwapped = word[row - 1] === other[column - 2] && word[row - 2] === other[column - 1]
      next[column] = Math.min(
        at(last, column) + 1,
        at(next, column - 1) + 1,
        at(last, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(before, column - 2) + 1 : Infinity,
      )
    }
    before = last
    last = next
  }
  return at(last, other.length)
}

const at = (row: number[], index: number) => row[index] ?? Infinity
