/** Replaces control characters and bidirectional marks in foreign text, so that it is safe to print on a terminal. */
export const printable = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

/** Like `printable`, but on one line of at most `characters` characters. Longer text ends in `…`. */
export function printableWithin(characters: number, text: string): string {
  // Truncate first: the text may be megabytes long.
  const line = printable(text.slice(0, characters + 1))
  return text.length <= characters ? line : `${line.slice(0, characters - 1).toWellFormed()}…`
}

/**
 * Characters not allowed in names: controls, unpaired surrogates, line separators, and characters that change the text
 * direction.
 */
export const NOT_IN_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u

/** Returns the first characters of a string, trimmed. */
export const startOf = (text: string, characters: number) =>
  Array.from(text.trim()).slice(0, characters).join('')
