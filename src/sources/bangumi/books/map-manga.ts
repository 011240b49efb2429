import type { SourceRecord } from '../../records/record.ts'
import { readBook, readVolume, SITE_KEYS } from './book-fields.ts'
import { bookFacts, factsOfSeries } from './book-facts.ts'
import { charactersOf, coverOf, withoutEmpty, statusOf, tagNames } from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { combineDates, fullDate, knownPartOf } from '../infobox/dates.ts'
import { splitNames } from '../infobox/name-list.ts'
import { audienceOf, countryOf, readingModeOf } from '../infobox/origin.ts'
import { externalIdsIn } from '../infobox/external-ids.ts'
import type { VolumePlace } from './place-volumes.ts'
import type { SubjectRow } from '../archive/rows.ts'

export function mapManga(row: SubjectRow, context: Context): SourceRecord | undefined {
  const book = readBook(row, context)
  if (!book) return undefined
  const { infobox, run, fields, credits, volumes } = book
  const tags = tagNames(row)
  const magazines = infobox
    .values('连载杂志')
    .flatMap((value) => splitNames(value).map(({ name }) => name))
  const endDate = combineDates(run.endValues)
  const firstVolume = volumes.findLast(({ facts }) => facts !== null)?.facts ?? undefined
  const country = countryOf({
    ...row,
    title: row.name,
    summary: fields.summary,
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
      ...fields,
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
  const { facts, fields } = readVolume(row, context)
  return {
    kind: 'manga_volume',
    external_id: String(row.id),
    fields: withoutEmpty({
      volume_number: position.number,
      ...fields,
      cover: coverOf(row, context),
      isbn: facts.isbn,
    }),
  }
}
