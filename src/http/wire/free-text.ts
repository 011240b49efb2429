/** What a database cannot keep: NUL, and half of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- it is the one that is looked for
const NOT_TEXT = /[\u0000\p{Cs}]/u

/**
 * A text over several lines as it is kept: lines end with a line feed.
 *
 * @param most characters (code points) it may have
 * @returns the text, or what is wrong with it, as the message of a field
 */
export function readFreeText(text: string, most: number): { text: string } | { fault: string } {
  if (NOT_TEXT.test(text)) return { fault: 'must not contain NUL or half a character' }
  const kept = text.replaceAll(/\r\n?/g, '\n')
  const length = [...kept].length
  if (length > most) return { fault: `must have at most ${most} characters, not ${length}` }
  return { text: kept }
}
