import type { SourceRecord } from '../../records/record.ts'
import { bookFields, SITE_KEYS } from './book-fields.ts'
import { bookFacts, factsOfSeries } from './book-facts.ts'
import {
  charactersOf,
  coverOf,
  openInfobox,
  serialDatesOf,
  withoutEmpty,
  SALE_KEYS,
  statusOf,
  tagNames,
  titlesOf,
} from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { CreditReader } from '../credits.ts'
import { combineDates, entryDate, fullDate, knownPartOf } from '../infobox/dates.ts'
import { splitNames } from '../infobox/name-list.ts'
import { audienceOf, countryOf, readingModeOf } from '../infobox/origin.ts'
import { externalIdsIn } from '../infobox/external-ids.ts'
import type { VolumePlace } from './place-volumes.ts'
import type { SubjectRow } from '../archive/rows.ts'

/** Maps a manga, which is a series or a single book. Returns `undefined` for a row without a title. */
export function mapManga(row: SubjectRow, context: Context): SourceRecord | undefined {
  const titles = titlesOf(row)
  if (!titles) return undefined
  const infobox = openInfobox('subject', row, context)
  const run = serialDatesOf(infobox)
  const shared = bookFields(row, titles, infobox, run, context)
  const credits = new CreditReader(row, infobox, context)
  const tags = tagNames(row)
  const magazines = infobox
    .values('连载杂志')
    .flatMap((value) => splitNames(value).map(({ name }) => name))
  const endDate = combineDates(run.endValues)
  const volumes = context.classification.volumesOf.get(row.id) ?? []
  const firstVolume = volumes.findLast(({ facts }) => facts !== null)?.facts ?? undefined
  const country = countryOf({
    ...row,
    title: row.name,
    summary: shared.summary,
    magazines,
    publishers: infobox
      .items('出版社')
      .flatMap(({ label, value }) => splitNames(value).map(({ name }) => ({ name, label }))),
  })
  return {
    kind: 'manga',
    external_id: String(row.id),
    same_as: externalIdsIn(infobox, 'manga'),
    fields: withoutEmpty({
      ...shared,
      serial_status: statusOf(row, infobox, run, context),
      reading_mode: readingModeOf(tags, magazines, country),
      origin_country: country,
      audience: audienceOf(tags, magazines),
      publication_end_date: fullDate(endDate),
      publication_end_date_text: knownPartOf(endDate),
      homepage: infobox.officialSite(...SITE_KEYS),
      ...factsOfSeries(bookFacts(infobox), firstVolume),
      editions: infobox.editions().filter(({ fields }) => Object.keys(fields).length > 0),
    }),
    links: withoutEmpty({
      volumes: volumes.map(({ id }) => ({ ref: String(id) })),
      people: credits.mangaPeople(),
      producers: credits.mangaProducers(),
      characters: charactersOf(row, context),
    }),
  }
}

export function mapMangaVolume(
  row: SubjectRow,
  position: VolumePlace,
  context: Context,
): SourceRecord {
  const infobox = openInfobox('subject', row, context)
  const { isbn, pages } = bookFacts(infobox)
  const date = entryDate(infobox.values(...SALE_KEYS, '开始'), row.date)
  return {
    kind: 'manga_volume',
    external_id: String(row.id),
    fields: withoutEmpty({
      volume_number: position.number,
      name: row.name || row.nameCn,
      name_cn: row.nameCn,
      cover: coverOf(row, context),
      isbn,
      publication_date: fullDate(date),
      publication_date_text: knownPartOf(date),
      page_count: pages,
    }),
  }
}
