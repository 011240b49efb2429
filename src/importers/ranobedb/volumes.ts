import { integerOf } from '../copy-text.ts'
import type { SourceRecord } from '../record.ts'
import { chineseTitle, originTitle } from '../titles.ts'
import type { Book } from './books.ts'
import { volumeNumberIn } from './volume-number.ts'

/** A book's place in a series. */
export type SeriesPlace = { book: Book; type: string | null; order: string | null }

/**
 * A book as the volume of its series.
 *
 * Its number is that of its title, else, for a book of the main story, its place in the series: the title of a
 * first volume seldom has one.
 */
export function volumeRecord({ book, type, order }: SeriesPlace, seriesTitle: string): SourceRecord {
  const title = originTitle(book.titles, book.olang)
  const printed = title === null ? null : volumeNumberIn(title, seriesTitle)
  const main = type !== 'sub'
  const place = main ? integerOf(order) : null
  return {
    kind: 'light_novel_volume',
    external_id: book.id,
    same_as: book.isbns.map((isbn) => ({ source: 'isbn', external_id: isbn })),
    fields: {
      volume_type: main ? 'MAIN' : 'EXTRA',
      volume_number: printed ? printed.number : place,
      volume_label: printed?.label,
      name: title,
      name_cn: chineseTitle(book.titles, book.olang),
      covers: book.cover && [book.cover],
      publication_date: book.date,
      relation: type,
    },
  }
}
