const ROMAN: Readonly<Record<string, string>> = {
  ii: '2',
  iii: '3',
  iv: '4',
  vi: '6',
  vii: '7',
  viii: '8',
  ix: '9',
  xi: '11',
  xii: '12',
  xiii: '13',
}
/** Letters too, and numbers only where a name ends: `Rance X`. */
const AT_THE_END: Readonly<Record<string, string>> = { v: '5', x: '10' }

/** The folded words of a name with its Roman numerals as digits; undefined where it has none. The first word is no number. */
export function readNumerals(words: string[]): string[] | undefined {
  const read = words.map(
    (word, place) =>
      (place > 0
        ? (ROMAN[word] ?? (place === words.length - 1 ? AT_THE_END[word] : undefined))
        : undefined) ?? word,
  )
  return read.some((word, place) => word !== words[place]) ? read : undefined
}
