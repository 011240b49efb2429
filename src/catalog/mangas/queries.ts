import {
  characterRef,
  isoDay,
  personRef,
  producerRef,
  workDetail,
  workFieldsSql,
  workList,
} from '../sql-fragments.ts'

const kind = 'manga'

/** §2.7 */
export const MANGA_DETAIL = workDetail(
  'mangas',
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
  ${isoDay('mangas.publication_end_date')} as publication_end_date,
  mangas.homepage,
  mangas.isbn,
  trim_scale(mangas.price_amount) as price_amount,
  mangas.price_currency,
  mangas.pages,
  mangas.editions,
  mangas.summary,
  mangas.summary_cn,
  ${workFieldsSql}`,
)

/** §2.7, by number. */
export const MANGA_VOLUMES = workList({
  kind,
  select: `
    volume.id,
    trim_scale(volume.volume_number) as volume_number,
    volume.name,
    volume.name_cn,
    volume.cover,
    volume.isbn,
    ${isoDay('volume.publication_date')} as publication_date,
    volume.page_count`,
  from: 'manga_volumes volume',
  where: 'volume.manga_id = work.id and $2::text is null',
  orderBy: 'volume.volume_number nulls last, volume.id',
})

/** §2.7, in billing order. */
export const MANGA_PEOPLE = workList({
  kind,
  select: `credit.role, credit.note, ${personRef} as person`,
  from: 'manga_people credit join people person on person.id = credit.person_id',
  where: 'credit.manga_id = work.id and $2::text is null',
  orderBy: 'credit.position, credit.person_id',
})

/** §2.7, in billing order. */
export const MANGA_PRODUCERS = workList({
  kind,
  select: `credit.role, credit.note, ${producerRef} as producer`,
  from: 'manga_producers credit join producers producer on producer.id = credit.producer_id',
  where: 'credit.manga_id = work.id and $2::text is null',
  orderBy: 'credit.position, credit.producer_id',
})

/** §2.5, in billing order; `$2` a role. */
export const MANGA_CHARACTERS = workList({
  kind,
  select: `appearance.role, ${characterRef} as character`,
  from: 'manga_characters appearance join characters character on character.id = appearance.character_id',
  where: 'appearance.manga_id = work.id and ($2::text is null or appearance.role = $2)',
  orderBy: 'appearance.position, appearance.character_id',
})
