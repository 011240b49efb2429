/** Roman numerals of two or more letters. `I` is also a word, and names rarely go beyond XIII. */
const ROMAN_NUMERALS: ReadonlyMap<string, string> = new Map([
  ['ii', '2'],
  ['iii', '3'],
  ['iv', '4'],
  ['vi', '6'],
  ['vii', '7'],
  ['viii', '8'],
  ['ix', '9'],
  ['xi', '11'],
  ['xii', '12'],
  ['xiii', '13'],
])
/** Letters that count as numerals only at the end of a name: `Rance X`. */
const FINAL_ROMAN_NUMERALS: ReadonlyMap<string, string> = new Map([
  ['v', '5'],
  ['x', '10'],
])

/**
 * Returns the folded words of a name with Roman numerals as digits, or undefined if the name has no numerals. The
 * first word is never a numeral.
 */
export function convertNumerals(words: string[]): string[] | undefined {
  const [first, ...others] = words
  if (first === undefined) return undefined
  const read = others.map(
    (word, index) =>
      ROMAN_NUMERALS.get(word) ??
      (index === others.length - 1 ? FINAL_ROMAN_NUMERALS.get(word) : undefined) ??
      word,
  )
  return read.some((word, index) => word !== others[index]) ? [first, ...read] : undefined
}
