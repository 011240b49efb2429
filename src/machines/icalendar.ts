/** Maximum length of a line, in octets (RFC 5545 §3.1). */
const MAX_LINE_OCTETS = 75

/** Escapes a value of type TEXT (RFC 5545 §3.3.11). Other control characters are forbidden. */
export const iCalendarText = (text: string): string =>
  text
    .replaceAll(/[\\;,]/g, String.raw`\$&`)
    .replaceAll(/\r\n|\r|\n/g, String.raw`\n`)
    // oxlint-disable-next-line no-control-regex -- these characters are removed
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f]/g, '')

/** Joins content lines, folding those that are too long between characters. */
export const iCalendarLines = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join('')

function folded(line: string): string {
  if (Buffer.byteLength(line) <= MAX_LINE_OCTETS) return line
  let octets = 0
  let text = ''
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (octets + length > MAX_LINE_OCTETS) {
      text += '\r\n '
      // The space counts.
      octets = 1
    }
    text += character
    octets += length
  }
  return text
}
