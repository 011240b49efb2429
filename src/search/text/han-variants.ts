import { readFileSync } from 'node:fs'

/**
 * Maps the code point of a form to the code point of its canonical character. `short` contains the 16-bit code points,
 * `long` the others.
 */
type VariantTable = { short: Uint16Array; long: Map<number, number> }

let table: VariantTable | undefined

/**
 * Returns the character that represents all forms of a character (simplified, traditional, Japanese), or the
 * character itself. The table is loaded on first use, so that it does not delay startup.
 */
export function canonicalHan(code: number): number {
  table ??= readTable()
  return (code < 0x10000 ? table.short[code] : table.long.get(code)) || code
}

function readTable(): VariantTable {
  const short = new Uint16Array(0x10000)
  const long = new Map<number, number>()
  for (const line of readFileSync(new URL('han-variants.txt', import.meta.url), 'utf8').split(
    '\n',
  )) {
    // If a line contains 16-bit code points, the first character is one of them.
    const canonical = line.codePointAt(0) ?? 0
    for (const form of line) {
      const code = form.codePointAt(0) ?? 0
      if (code < 0x10000) short[code] = canonical
      else long.set(code, canonical)
    }
  }
  return { short, long }
}
