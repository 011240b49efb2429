import { CHARACTER_ROLES, GALGAME_PRODUCER_ROLES, STAFF_ROLES } from '../enums.ts'
import {
  characterRef,
  creditedPersonRef,
  galgameRef,
  isoDay,
  producerRef,
  workFieldsSql,
} from '../sql-fragments.ts'
import { creditList, detailSql, workList } from '../statements.ts'

const kind = 'galgame'

/** §2.3 */
export const galgameDetailSql = detailSql(
  kind,
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

/** §2.4 */
export const galgameStaffSql = creditList({
  kind,
  list: 'staff',
  target: 'person',
  select: `credit.role, ${creditedPersonRef('credit')} as person`,
  filters: { role: STAFF_ROLES },
})

/** §2.5, each with its voice actors in credit order. */
export const galgameCharactersSql = creditList({
  kind,
  list: 'characters',
  target: 'character',
  select: `
    credit.role,
    coalesce(
      (
        select json_agg(${creditedPersonRef('voice')} order by voice.position)
        from galgame_character_actors voice
        join people person on person.id = voice.person_id
        where voice.galgame_id = credit.galgame_id and voice.character_id = credit.character_id
      ),
      '[]'
    ) as actors,
    ${characterRef} as character`,
  filters: { role: CHARACTER_ROLES },
})

const producers = {
  kind,
  list: 'producers',
  target: 'producer',
  select: `credit.role, ${producerRef} as producer`,
} as const

/** Decision 0002 */
export const galgameProducersSql = creditList({ ...producers, filters: { role: GALGAME_PRODUCER_ROLES } })

/** Decision 0002 */
export const galgameDevelopersSql = creditList({ ...producers, only: `credit.role = 'DEVELOPER'` })

/** Decision 0002 */
export const galgameRelationsSql = workList({
  kind,
  select: `link.relation, ${galgameRef('related')} as galgame`,
  from: `galgame_relations link
    join galgames related on related.id = link.related_galgame_id
    join works related_work on related_work.id = related.id`,
  where: 'link.galgame_id = work.id',
  hidesNsfw: 'related_work',
  orderBy: 'link.position, link.related_galgame_id',
})
