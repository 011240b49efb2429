import { CHARACTER_ROLES } from '../enums.ts'
import {
  bangumiId,
  characterRef,
  isoDay,
  outsideId,
  personRef,
  producerRef,
  workFieldsSql,
} from '../sql-fragments.ts'
import { creditList, detailStatement, workList } from '../statements.ts'

const kind = 'manga'

/** §2.7 */
export const mangaDetail = detailStatement(
  kind,
  `
  mangas.id,
  mangas.name,
  mangas.name_cn,
  mangas.other_names,
  mangas.covers,
  mangas.serial_status,
  mangas.reading_mode,
  mangas.origin_country,
  mangas.audience,
  ${isoDay('mangas.latest_chapter_at')} as latest_chapter_at,
  ${isoDay('mangas.publication_date')} as publication_date,
  mangas.publication_date_text,
  ${isoDay('mangas.publication_end_date')} as publication_end_date,
  mangas.publication_end_date_text,
  mangas.homepage,
  mangas.isbn,
  trim_scale(mangas.price_amount) as price_amount,
  mangas.price_currency,
  mangas.pages,
  mangas.editions,
  mangas.summary,
  mangas.summary_cn,
  mangas.external_links,
  outside.bangumi as bangumi_id,
  outside.bangumi as bangumi_subject_id,
  ${outsideId(kind, 'mangas', 'ranobedb')} as ranobedb_id,
  ${workFieldsSql}`,
  bangumiId(kind, 'mangas'),
)

/** §2.7, by number. */
export const mangaVolumesSql = workList({
  kind,
  name: 'volumes',
  select: `
    volume.id,
    trim_scale(volume.volume_number) as volume_number,
    volume.name,
    volume.name_cn,
    volume.cover,
    volume.isbn,
    ${isoDay('volume.publication_date')} as publication_date,
    volume.publication_date_text,
    volume.page_count`,
  from: 'manga_volumes volume',
  where: 'volume.manga_id = work.id',
  orderBy: 'volume.volume_number nulls last, volume.id',
})

/** §2.7 */
export const mangaPeopleSql = creditList({
  kind,
  list: 'people',
  target: 'person',
  select: `credit.role, credit.note, ${personRef} as person`,
})

/** §2.7 */
export const mangaProducersSql = creditList({
  kind,
  list: 'producers',
  target: 'producer',
  select: `credit.role, credit.note, ${producerRef} as producer`,
})

/** §2.5 */
export const mangaCharactersSql = creditList({
  kind,
  list: 'characters',
  target: 'character',
  select: `credit.role, ${characterRef} as character`,
  filters: { role: CHARACTER_ROLES },
})
