import type { Fault } from '../errors/fault.ts'

/** Characters PostgreSQL cannot store: NUL and lone surrogates. */
// oxlint-disable-next-line no-control-regex -- matches NUL on purpose
const NOT_TEXT = /[\u0000\p{Cs}]/u

/**
 * Normalizes line endings of multi-line text to line feeds and checks its length.
 *
 * @param maxLength in characters (code points)
 * @returns the text or a fault
 */
export function readFreeText(text: string, maxLength: number): { text: string } | { fault: Fault } {
  if (NOT_TEXT.test(text)) return { fault: { code: 'text.not_text' } }
  const normalized = text.replaceAll(/\r\n?/g, '\n')
  const length = [...normalized].length
  if (length > maxLength)
    return { fault: { code: 'text.too_long', params: { max: maxLength, length } } }
  return { text: normalized }
}
