import {
  characterRef,
  creditedPersonRef,
  galgameRef,
  isoDay,
  producerRef,
  workDetail,
  workFieldsSql,
  workList,
} from '../sql-fragments.ts'

/** §2.3 */
export const GALGAME_DETAIL = workDetail(
  'galgames',
  `
  galgames.id,
  galgames.origin_title,
  galgames.trans_title,
  galgames.aliases,
  galgames.covers,
  galgames.images,
  ${isoDay('galgames.release_date')} as release_date,
  galgames.release_date_tbd,
  galgames.release_date_tbd_note,
  galgames.origin_intro,
  galgames.trans_intro,
  galgames.adv_type,
  galgames.platforms,
  galgames.homepage,
  galgames.engine,
  galgames.origin_lang,
  galgames.dev_status,
  galgames.prices,
  ${workFieldsSql}`,
)

/** §2.4, in billing order; `$2` a role. */
export const GALGAME_STAFF = workList({
  kind: 'galgame',
  select: `credit.role, ${creditedPersonRef('credit')} as person`,
  from: 'galgame_staff credit join people person on person.id = credit.person_id',
  where: 'credit.galgame_id = work.id and ($2::text is null or credit.role = $2)',
  orderBy: 'credit.position, credit.person_id',
})

/** §2.5, in billing order, each with its voice actors in credit order; `$2` a role. */
export const GALGAME_CHARACTERS = workList({
  kind: 'galgame',
  select: `
    appearance.role,
    coalesce(
      (
        select json_agg(${creditedPersonRef('credit')} order by credit.position)
        from galgame_character_actors credit
        join people person on person.id = credit.person_id
        where credit.galgame_id = appearance.galgame_id and credit.character_id = appearance.character_id
      ),
      '[]'
    ) as actors,
    ${characterRef} as character`,
  from: 'galgame_characters appearance join characters character on character.id = appearance.character_id',
  where: 'appearance.galgame_id = work.id and ($2::text is null or appearance.role = $2)',
  orderBy: 'appearance.position, appearance.character_id',
})

/** Decision 0002, in billing order; `$2` a role. */
export const GALGAME_PRODUCERS = workList({
  kind: 'galgame',
  select: `credit.role, ${producerRef} as producer`,
  from: 'galgame_producers credit join producers producer on producer.id = credit.producer_id',
  where: 'credit.galgame_id = work.id and ($2::text is null or credit.role = $2)',
  orderBy: 'credit.position, credit.producer_id',
})

/** Decision 0002; `$2` is `sfw` for a caller who may not know that an nsfw galgame exists. */
export const GALGAME_RELATIONS = workList({
  kind: 'galgame',
  select: `link.relation, ${galgameRef('related')} as galgame`,
  from: `galgame_relations link
    join galgames related on related.id = link.related_galgame_id
    join works related_work on related_work.id = related.id`,
  where: `link.galgame_id = work.id and ($2::text is null or not related_work.nsfw)`,
  orderBy: 'link.position, link.related_galgame_id',
})
