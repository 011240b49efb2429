import type { SourceRecord } from '../../records/record.ts'
import { readBook, readVolume } from './book-fields.ts'
import { bookFacts, parseCount } from './book-facts.ts'
import { charactersOf, coversOf, withoutEmpty, statusOf } from '../subject-fields.ts'
import type { Context } from '../context.ts'
import { isbnAsId, mentionsIn, externalIdsIn } from '../infobox/external-ids.ts'
import type { VolumePlace } from './place-volumes.ts'
import { isMainVolume } from './classify-subjects.ts'
import type { SubjectRow } from '../archive/rows.ts'

export function mapLightNovel(row: SubjectRow, context: Context): SourceRecord | undefined {
  const book = readBook(row, context)
  if (!book) return undefined
  const { infobox, run, fields, credits, volumes } = book
  const { isbn } = bookFacts(infobox)
  const mainVolumes = volumes.filter(({ relation }) => isMainVolume(relation))
  return {
    kind: 'light_novel',
    external_id: String(row.id),
    same_as: [
      ...externalIdsIn(infobox, 'light_novel'),
      ...isbnAsId(volumes.length > 0 ? undefined : isbn),
    ],
    fields: withoutEmpty({
      ...fields,
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
  const { facts, fields } = readVolume(row, context)
  const { isbn, price } = facts
  return {
    kind: 'light_novel_volume',
    external_id: String(row.id),
    same_as: isbnAsId(isbn),
    fields: withoutEmpty({
      volume_type: position.type,
      volume_number: position.number,
      volume_label: position.label,
      ...fields,
      covers: coversOf(row, context),
      relation: position.relation,
      isbns: isbn === undefined ? [] : [isbn],
      price_amount: price?.amount,
      price_currency: price?.currency,
    }),
  }
}
