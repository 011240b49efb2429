const NON_LATIN = /[^\u0020-\u024f\u1e00-\u1eff\u2010-\u2027]/
const LATIN_LETTER = /[A-Za-z\u00c0-\u024f\u1e00-\u1eff]/g
/** Minimum number of letters. Shorter names are abbreviations. */
const MIN_LETTERS = 5

/** Whether a text is in Latin letters only. */
export const isLatin = (text: string): boolean => !NON_LATIN.test(text)

/**
 * Returns the first of other names that is in Latin letters, preferably a full name, as the SQL function `latin_name`
 * does.
 *
 * @returns undefined if the main name is in Latin letters
 */
export function latinName(name: string, others: readonly string[]): string | undefined {
  if (isLatin(name)) return undefined
  const latin = others.filter(
    (other) => isLatin(other) && (other.match(LATIN_LETTER)?.length ?? 0) >= MIN_LETTERS,
  )
  return latin.find((other) => other.includes(' ')) ?? latin[0]
}
