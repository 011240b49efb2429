/** What another program or a file says, without what a terminal would take for commands, or which would turn text around. */
export const printable = (text: string) =>
  text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()

/** The same on one line of at most so many characters, `…` among them where there were more. */
export function printableWithin(characters: number, text: string): string {
  // Before anything is replaced: it may be megabytes.
  const line = printable(text.slice(0, characters + 1))
  return text.length <= characters ? line : `${line.slice(0, characters - 1).toWellFormed()}…`
}
