import {
  characterRef,
  isoDay,
  personRef,
  producerRef,
  workDetail,
  workFieldsSql,
  workList,
} from '../sql-fragments.ts'

const kind = 'light_novel'

/** §2.6 */
export const LIGHT_NOVEL_DETAIL = workDetail(
  'light_novels',
  `
  light_novels.id,
  light_novels.name,
  light_novels.name_cn,
  light_novels.other_names,
  light_novels.covers,
  ${isoDay('light_novels.publication_date')} as publication_date,
  light_novels.novel_status,
  light_novels.total_volumes,
  light_novels.summary,
  light_novels.summary_cn,
  ${workFieldsSql}`,
)

/** §2.6; `$2` is `recent` for the latest volume first, else they come by number. */
export const LIGHT_NOVEL_VOLUMES = workList({
  kind,
  select: `
    volume.id,
    volume.volume_type,
    trim_scale(volume.volume_number) as volume_number,
    volume.volume_label,
    volume.name,
    volume.name_cn,
    volume.covers,
    ${isoDay('volume.publication_date')} as publication_date,
    volume.relation`,
  from: 'light_novel_volumes volume',
  where: 'volume.light_novel_id = work.id',
  orderBy: `
    case when $2::text = 'recent' then volume.publication_date end desc nulls last,
    volume.volume_number nulls last,
    volume.id`,
})

/** §2.6, in billing order; `$2` a relation. */
export const LIGHT_NOVEL_PEOPLE = workList({
  kind,
  select: `credit.relation, credit.note, ${personRef} as person`,
  from: 'light_novel_people credit join people person on person.id = credit.person_id',
  where: 'credit.light_novel_id = work.id and ($2::text is null or credit.relation = $2)',
  orderBy: 'credit.position, credit.person_id',
})

/** §2.6, in billing order; `$2` a relation. */
export const LIGHT_NOVEL_PRODUCERS = workList({
  kind,
  select: `credit.relation, credit.note, ${producerRef} as producer`,
  from: 'light_novel_producers credit join producers producer on producer.id = credit.producer_id',
  where: 'credit.light_novel_id = work.id and ($2::text is null or credit.relation = $2)',
  orderBy: 'credit.position, credit.producer_id',
})

/** §2.5, in billing order; `$2` a role. */
export const LIGHT_NOVEL_CHARACTERS = workList({
  kind,
  select: `appearance.role, ${characterRef} as character`,
  from: 'light_novel_characters appearance join characters character on character.id = appearance.character_id',
  where: 'appearance.light_novel_id = work.id and ($2::text is null or appearance.role = $2)',
  orderBy: 'appearance.position, appearance.character_id',
})
