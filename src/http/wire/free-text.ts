/** What a database cannot store: NUL, and half of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- it is the one to find
const NOT_TEXT = /[\u0000\p{Cs}]/u

/**
 * A text of several lines as it is stored: lines end with a line feed.
 *
 * @param maxLength in characters (code points)
 * @returns the text, or what is wrong with it, as the message of a field
 */
export function readFreeText(text: string, maxLength: number): { text: string } | { fault: string } {
  if (NOT_TEXT.test(text)) return { fault: 'must not contain NUL or half a character' }
  const normalized = text.replaceAll(/\r\n?/g, '\n')
  const length = [...normalized].length
  if (length > maxLength) return { fault: `must have at most ${maxLength} characters, not ${length}` }
  return { text: normalized }
}
