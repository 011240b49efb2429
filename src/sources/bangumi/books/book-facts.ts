import { toIsbn13 } from '../../../kernel/isbn.ts'
import { toHalfWidth } from '../text.ts'
import type { InfoboxReader } from '../infobox/infobox-reader.ts'
import { parsePrices } from '../infobox/prices.ts'

export type BookFacts = {
  isbn: string | undefined
  pages: number | undefined
  price: { amount: number; currency: string | null } | undefined
}

export function bookFacts(infobox: InfoboxReader): BookFacts {
  const [price] = infobox.items('价格').flatMap(parsePrices)
  return {
    isbn: infobox.parse(parseIsbn, 'ISBN', 'ISBN-13', 'ISBN-10'),
    pages: infobox.parse(parseCount, '页数'),
    price:
      price && price.amount !== null
        ? { amount: price.amount, currency: price.currency }
        : undefined,
  }
}

/** Returns the facts of a manga: its own and, if missing, those of its first volume. */
export function factsOfSeries(own: BookFacts, firstVolume: BookFacts | undefined) {
  const price = own.price ?? firstVolume?.price
  return {
    isbn: own.isbn ?? firstVolume?.isbn,
    pages: own.pages ?? firstVolume?.pages,
    price_amount: price?.amount,
    price_currency: price?.currency,
  }
}

/**
 * Returns the first valid ISBN in a string, as 13 digits. An ISBN-10 is converted. An ISBN with a wrong check digit is
 * invalid.
 */
export function parseIsbn(text: string): string | undefined {
  const candidates =
    toHalfWidth(text)
      .toUpperCase()
      .match(/\d[\d\s-]{8,}[\dX]/g) ?? []
  return candidates.map(toIsbn13).find((isbn) => isbn !== undefined)
}

/** Parses a number of pages or volumes: `208页`, `既刊6巻`, `3册`. Accepts positive whole numbers that fit the column. */
export function parseCount(text: string): number | undefined {
  const count = Number(/\d+/.exec(toHalfWidth(text).replaceAll(',', ''))?.[0] ?? 0)
  return count > 0 && count < 100_000 ? count : undefined
}
