import { integerOf } from '../dump/tables/copy-text.ts'
import type { SourceRecord } from '../records/record.ts'
import { chineseTitle, originTitle } from '../records/titles.ts'
import type { Place } from './books.ts'
import { volumeNumberIn } from './volume-number.ts'

/** Largest plausible page count. Anything above is an error in the dump. */
const MAX_PAGES = 10_000

/**
 * Returns a book's record as a volume of its series.
 *
 * The number comes from the title. Titles of first volumes seldom have a number, so main books fall back to their
 * position in the series. The page count is that of a release in the original language. ISBNs are those of all
 * editions. Both prefer printed releases in the original language.
 */
export function volumeRecord(volume: Place, seriesTitle: string): SourceRecord {
  const { id, type, order, olang, titles } = volume
  const title = originTitle(titles, olang)
  const printed = title === null ? null : volumeNumberIn(title, seriesTitle)
  const main = type !== 'sub'
  const releases = volume.releases.toSorted(
    (a, b) =>
      Number(b.lang === olang) - Number(a.lang === olang) ||
      Number(b.isPrinted) - Number(a.isPrinted),
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
      covers: volume.cover && [volume.cover],
      ...volume.dates,
      relation: type,
      isbns,
      page_count: releases.find(
        ({ lang, pages }) => lang === olang && pages !== null && pages > 0 && pages <= MAX_PAGES,
      )?.pages,
    },
  }
}
