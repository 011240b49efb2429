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

const kind = 'light_novel'

/** §2.6 */
export const lightNovelDetail = detailStatement(
  kind,
  `
  light_novels.id,
  light_novels.name,
  light_novels.name_cn,
  light_novels.other_names,
  light_novels.covers,
  ${isoDay('light_novels.publication_date')} as publication_date,
  light_novels.publication_date_text,
  light_novels.novel_status,
  light_novels.total_volumes,
  light_novels.summary,
  light_novels.summary_cn,
  light_novels.external_links,
  outside.bangumi as bangumi_id,
  outside.bangumi as bangumi_book_id,
  ${outsideId(kind, 'light_novels', 'ranobedb')} as ranobedb_id,
  ${workFieldsSql}`,
  bangumiId(kind, 'light_novels'),
)

const byNumber = 'volume.volume_number nulls last, volume.id'

/** §2.6, by number, or the latest first. */
export const lightNovelVolumesSql = workList({
  kind,
  name: 'volumes',
  select: `
    volume.id,
    volume.volume_type,
    trim_scale(volume.volume_number) as volume_number,
    volume.volume_label,
    volume.name,
    volume.name_cn,
    volume.covers,
    ${isoDay('volume.publication_date')} as publication_date,
    volume.publication_date_text,
    volume.relation,
    volume.isbns ->> 0 as isbn,
    volume.isbns,
    volume.page_count,
    trim_scale(volume.price_amount) as price_amount,
    volume.price_currency`,
  from: 'light_novel_volumes volume',
  where: 'volume.light_novel_id = work.id',
  orderBy: byNumber,
  sorts: { volume_number: byNumber, recent: `volume.publication_date desc nulls last, ${byNumber}` },
})

/** §2.6 */
export const lightNovelPeopleSql = creditList({
  kind,
  list: 'people',
  target: 'person',
  select: `credit.relation, credit.note, ${personRef} as person`,
  filters: { relation: ['author', 'illustrator'] },
})

/** §2.6 */
export const lightNovelProducersSql = creditList({
  kind,
  list: 'producers',
  target: 'producer',
  select: `credit.relation, credit.note, ${producerRef} as producer`,
  filters: { relation: ['bunko', 'publisher'] },
})

/** §2.5 */
export const lightNovelCharactersSql = creditList({
  kind,
  list: 'characters',
  target: 'character',
  select: `credit.role, ${characterRef} as character`,
  filters: { role: CHARACTER_ROLES },
})
