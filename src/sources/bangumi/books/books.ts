import { toIsbn13 } from '../../../kernel/isbn.ts'
import { toHalfWidth } from '../text.ts'

/** The first valid ISBN of a text as ISBN-13, digits only; an ISBN-10 is converted. A wrong check digit is no ISBN. */
export function parseIsbn(text: string): string | undefined {
  const candidates =
    toHalfWidth(text)
      .toUpperCase()
      .match(/\d[\d\s-]{8,}[\dX]/g) ?? []
  return candidates.map(toIsbn13).find((isbn) => isbn !== undefined)
}

/** A count of pages or volumes: `208页`, `既刊6巻`, `3册`; only a positive whole number that fits its column. */
export function parseCount(text: string): number | undefined {
  const count = Number(/\d+/.exec(toHalfWidth(text).replaceAll(',', ''))?.[0] ?? 0)
  return count > 0 && count < 100_000 ? count : undefined
}
