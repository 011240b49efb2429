import { hashText, hashWithout } from './gram-keys.ts'

/** Letters for which one slip is forgiven. */
const LETTERS_PER_SLIP = 5
const MAX_SLIPS = 2
/** Letters from the beginning that are looked at; what comes after them is compared in full later. */
const PREFIX = 7
/** Longer ones are hardly typed, and no words. */
const MAX_LENGTH = 32

/** How many slips a word may have: one in five letters. */
export const slipsOf = (word: string) =>
  Math.min(MAX_SLIPS, Math.floor(word.length / LETTERS_PER_SLIP))

/** Whether a query may have this word with a slip in it: it is of Latin letters, and long enough. */
export const mayHaveSlips = (word: string) =>
  word.length <= MAX_LENGTH && slipsOf(word) > 0 && /^[a-z]+$/.test(word)

/** What two words that differ by no more slips than they may have have in common: their beginnings with letters left out, as numbers. */
export function slipKeys(word: string): number[] {
  const end = Math.min(word.length, PREFIX)
  const slips = slipsOf(word)
  // Made without the texts: an import makes these of every word there is.
  const keys = new Set([hashText(word.slice(0, PREFIX))])
  if (slips > 0) for (let one = 0; one < end; one += 1) keys.add(hashWithout(word, end, one, one))
  if (slips > 1)
    for (let one = 0; one < end; one += 1)
      for (let other = 0; other < end - 1; other += 1)
        keys.add(hashWithout(word, end, one, other < one ? other : other + 1))
  return [...keys]
}

/** Letters to be put in, left out, replaced, or swapped with their neighbour, to make one word of the other. */
export function distanceOf(word: string, other: string): number {
  let before: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, place) => place)
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

const at = (row: number[], place: number) => row[place] ?? Infinity
