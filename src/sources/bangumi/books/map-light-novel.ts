import type { SourceRecord } from '../../records/record.ts'
import { bookFields } from './book-fields.ts'
import { bookFacts, parseCount } from './book-facts.ts'
import {
  charactersOf,
  coversOf,
  openInfobox,
  serialDatesOf,
  withoutEmpty,
  SALE_KEYS,
  statusOf,
  titlesOf,
} from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { CreditReader } from '../credits.ts'
import { entryDate, fullDate, knownPartOf } from '../infobox/dates.ts'
import { isbnAsId, mentionsIn, externalIdsIn } from '../infobox/external-ids.ts'
import type { VolumePlace } from './place-volumes.ts'
import { isMainVolume } from './classify-subjects.ts'
import type { SubjectRow } from '../archive/rows.ts'

/** Maps a novel, which is a series or a single book. Returns `undefined` for a row without a title. */
export function mapLightNovel(row: SubjectRow, context: Context): SourceRecord | undefined {
  const titles = titlesOf(row)
  if (!titles) return undefined
  const infobox = openInfobox('subject', row, context)
  const run = serialDatesOf(infobox)
  const shared = bookFields(row, titles, infobox, run, context)
  const { isbn } = bookFacts(infobox)
  const credits = new CreditReader(row, infobox, context)
  const volumes = context.classification.volumesOf.get(row.id) ?? []
  const mainVolumes = volumes.filter(({ relation }) => isMainVolume(relation))
  return {
    kind: 'light_novel',
    external_id: String(row.id),
    same_as: [
      ...externalIdsIn(infobox, 'light_novel'),
      ...isbnAsId(volumes.length > 0 ? undefined : isbn),
    ],
    fields: withoutEmpty({
      ...shared,
      novel_status: statusOf(row, infobox, run, context),
      total_volumes:
        mainVolumes.length ||
        infobox.parse(parseCount, '册数') ||
        (isbn !== undefined && !row.series ? 1 : undefined),
    }),
    links: withoutEmpty({
      volumes: volumes.map(({ id }) => ({ ref: String(id) })),
      people: credits.novelPeople(),
      producers: credits.novelProducers(),
      characters: charactersOf(row, context),
      mentions: mentionsIn(infobox, 'light_novel'),
    }),
  }
}

/** Maps a book in a series. `relation` is the wiki's word for a volume, side story or art book. */
export function mapLightNovelVolume(
  row: SubjectRow,
  position: VolumePlace,
  context: Context,
): SourceRecord {
  const infobox = openInfobox('subject', row, context)
  const { isbn, pages, price } = bookFacts(infobox)
  const date = entryDate(infobox.values(...SALE_KEYS, '开始'), row.date)
  return {
    kind: 'light_novel_volume',
    external_id: String(row.id),
    same_as: isbnAsId(isbn),
    fields: withoutEmpty({
      volume_type: position.type,
      volume_number: position.number,
      volume_label: position.label,
      name: row.name || row.nameCn,
      name_cn: row.nameCn,
      covers: coversOf(row, context),
      publication_date: fullDate(date),
      publication_date_text: knownPartOf(date),
      relation: position.relation,
      isbns: isbn === undefined ? [] : [isbn],
      page_count: pages,
      price_amount: price?.amount,
      price_currency: price?.currency,
    }),
  }
}
