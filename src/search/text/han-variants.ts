import { readFileSync } from 'node:fs'

/** By the number of a form, the number of the character that stands for it: what 16 bits hold, and what they do not. */
type VariantTable = { short: Uint16Array; long: Map<number, number> }

let table: VariantTable | undefined

/**
 * The character that stands for all forms of one, simplified, traditional and Japanese; the same where there is no other form.
 * The table is read when the first name is folded: a start of the service does not wait for it.
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
    // Of forms that 16 bits hold, one that they hold comes first in its line.
    const canonical = line.codePointAt(0) ?? 0
    for (const form of line) {
      const code = form.codePointAt(0) ?? 0
      if (code < 0x10000) short[code] = canonical
      else long.set(code, canonical)
    }
  }
  return { short, long }
}
