import { parseCount, parseIsbn } from './books.ts'
import type { InfoboxReader } from '../infobox/infobox-reader.ts'
import { parsePrices } from '../infobox/prices.ts'

/** What is printed on a single book. */
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

/** What a manga shows: its own entry's facts and, for those it lacks, its first volume's. */
export function factsOfSeries(own: BookFacts, firstVolume: BookFacts | undefined) {
  const price = own.price ?? firstVolume?.price
  return {
    isbn: own.isbn ?? firstVolume?.isbn,
    pages: own.pages ?? firstVolume?.pages,
    price_amount: price?.amount,
    price_currency: price?.currency,
  }
}
