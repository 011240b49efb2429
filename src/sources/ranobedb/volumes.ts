import { integerOf } from '../dump/tables/copy-text.ts'
import type { SourceRecord } from '../records/record.ts'
import { chineseTitle, originTitle } from '../records/titles.ts'
import type { Place } from './books.ts'
import { volumeNumberIn } from './volume-number.ts'

/** Pages of a book, and no mistake in the dump. */
const MAX_PAGES = 10_000

/**
 * A book as the volume of its series.
 *
 * Its number is that of its title, else, for a book of the main story, its place in the series: the title of a
 * first volume seldom has one. Its pages are those of a release in the language of origin, its ISBNs those of all editions,
 * in both the printed ones in the language of origin first.
 */
export function volumeRecord(place: Place, seriesTitle: string): SourceRecord {
  const { id, type, order, olang, titles } = place
  const title = originTitle(titles, olang)
  const printed = title === null ? null : volumeNumberIn(title, seriesTitle)
  const main = type !== 'sub'
  const releases = place.releases.toSorted(
    (one, other) =>
      Number(other.lang === olang) - Number(one.lang === olang) ||
      Number(other.isPrinted) - Number(one.isPrinted),
  )
  const isbns = [...new Set(releases.flatMap(({ isbn }) => isbn ?? []))]
  return {
    kind: 'light_novel_volume',
    external_id: id,
    same_as: isbns.map((isbn) => ({ source: 'isbn', external_id: isbn })),
    fields: {
      volume_type: main ? 'MAIN' : 'EXTRA',
      volume_number: printed ? printed.number : main ? integerOf(order) : null,
      volume_label: printed?.label,
      name: title,
      name_cn: chineseTitle(titles, olang),
      covers: place.cover && [place.cover],
      ...place.dates,
      relation: type,
      isbns,
      page_count: releases.find(
        ({ lang, pages }) => lang === olang && pages !== null && pages > 0 && pages <= MAX_PAGES,
      )?.pages,
    },
  }
}
