import { CHARACTER_ROLES, GALGAME_PRODUCER_ROLES, RELATION_OF_DETAIL, STAFF_ROLES } from '../enums.ts'
import { selectOf } from '../fields/field.ts'
import { GALGAME_FIELDS } from '../fields/galgame.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'
import { WORK_ANSWER } from '../fields/shared.ts'
import {
  characterRef,
  creditedPersonRef,
  firstCover,
  galgameCoversSql,
  isoDay,
  outsideIds,
  producerRef,
} from '../sql-fragments.ts'
import { creditList, detailStatement, workList } from '../statements.ts'

const kind = 'galgame'

/** §2.3, decision 0002 */
export const galgameDetail = detailStatement(
  kind,
  `${selectOf(GALGAME_FIELDS, 'galgames')}, ${selectOf(WORK_ANSWER, 'work')}`,
  outsideIds(kind, 'galgames'),
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

const producers = { kind, list: 'producers', target: 'producer' } as const

/** Decision 0002 */
export const galgameProducersSql = creditList({
  ...producers,
  select: `credit.role, credit.note, ${producerRef} as producer`,
  filters: { role: GALGAME_PRODUCER_ROLES },
})

/** Decision 0002 */
export const galgameDevelopersSql = creditList({
  ...producers,
  select: `${selectOf(PRODUCER_FIELDS, 'producer')}, producer.trans_name, credit.note`,
  only: `credit.role = 'DEVELOPER'`,
  join: `cross join lateral ${outsideIds('producer', 'producer')}`,
})

/** Decision 0002. The other galgame also as whatever else refers to one names it (§2.2). */
export const galgameRelationsSql = workList({
  kind,
  name: 'relations',
  select: `
    case link.relation ${Object.entries(RELATION_OF_DETAIL)
      .map(([detail, relation]) => `when '${detail}' then '${relation}'`)
      .join(' ')} end as relation,
    link.relation as detail,
    json_build_object(
      'id', related.id,
      'origin_title', related.origin_title,
      'trans_title', related.trans_title,
      'nsfw', related_work.nsfw,
      'release_date', ${isoDay('related.release_date')},
      'covers', ${galgameCoversSql('related')},
      'name', related.origin_title,
      'trans_name', related.trans_title,
      'image', ${firstCover('related')}
    ) as galgame`,
  from: `galgame_relations link
    join galgames related on related.id = link.related_galgame_id
    join works related_work on related_work.id = related.id`,
  where: 'link.galgame_id = work.id',
  hidesNsfw: 'related_work',
  orderBy: 'link.position, link.related_galgame_id',
})
