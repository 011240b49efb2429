import type { Fault } from '../errors/fault.ts'

/** What a database cannot store: NUL, and half of a surrogate pair. */
// oxlint-disable-next-line no-control-regex -- it is the one to find
const NOT_TEXT = /[\u0000\p{Cs}]/u

/**
 * Normalizes a text of several lines for storage: lines end with a line feed.
 *
 * @param maxLength in characters (code points)
 * @returns the text, or what is wrong with it
 */
export function readFreeText(text: string, maxLength: number): { text: string } | { fault: Fault } {
  if (NOT_TEXT.test(text)) return { fault: { code: 'text.not_text' } }
  const normalized = text.replaceAll(/\r\n?/g, '\n')
  const length = [...normalized].length
  if (length > maxLength)
    return { fault: { code: 'text.too_long', params: { max: maxLength, length } } }
  return { text: normalized }
}
