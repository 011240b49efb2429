/** Two letters and more; `I` alone is a word, and a name seldom reaches XIV. */
const ROMAN: ReadonlyMap<string, string> = new Map([
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
/** Letters too: numbers only where a name ends, `Rance X`. */
const ROMAN_AT_THE_END: ReadonlyMap<string, string> = new Map([
  ['v', '5'],
  ['x', '10'],
])

/** The folded words of a name with its Roman numerals as digits; undefined where it has none. The first word is no number. */
export function readNumerals(words: string[]): string[] | undefined {
  const [first, ...others] = words
  if (first === undefined) return undefined
  const read = others.map(
    (word, place) =>
      ROMAN.get(word) ??
      (place === others.length - 1 ? ROMAN_AT_THE_END.get(word) : undefined) ??
      word,
  )
  return read.some((word, place) => word !== others[place]) ? [first, ...read] : undefined
}
