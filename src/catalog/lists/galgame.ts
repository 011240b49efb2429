import { Type } from 'typebox'
import { Id, Named, NullableDate, NullableText, Ref } from '../../http/wire/schemas.ts'
import { Producer } from '../entries/producer.ts'
import {
  CHARACTER_ROLES,
  GALGAME_PRODUCER_ROLES,
  GALGAME_RELATION_DETAILS,
  GALGAME_RELATIONS,
  RELATION_OF_DETAIL,
  STAFF_ROLES,
} from '../enums.ts'
import { exampleRef as ref, exampleTitles, MAI, NAGISA, TOMOYA } from '../example-parts.ts'
import { examplesOf, selectOf } from '../fields/field.ts'
import { galgameCovers } from '../fields/galgame.ts'
import { PRODUCER_FIELDS } from '../fields/producer.ts'
import { VALUES } from '../fields/value-types.ts'
import type { ListDefinition } from '../entries/list-routes.ts'
import { Enum, EnumOrNull, LOCALIZED_TITLES, OpenEntityRefDto } from '../schemas.ts'
import {
  characterRef,
  creditedPersonRef,
  externalIdsSql,
  firstCoverSql,
  galgameCoversSql,
  isoDaySql,
  localizedTitlesSql,
  producerRef,
  voiceActorsSql,
} from '../sql-fragments.ts'
import { creditList, workList } from '../statements.ts'

const kind = 'galgame'
const producers = { kind, list: 'producers', target: 'producer' } as const

/** Schema of a related galgame (decision 0002), which includes the fields of a reference (§2.2). */
export const RelatedGalgame = Named('RelatedGalgame', {
  id: Id,
  origin_title: Type.String(),
  trans_title: NullableText,
  nsfw: Type.Boolean(),
  release_date: NullableDate,
  covers: galgameCovers.response,
  name: Type.String(),
  trans_name: NullableText,
  image: VALUES.picture.response,
  ...LOCALIZED_TITLES,
})

/** Lists of a galgame (§2.4, §2.5, decision 0002). */
export const GALGAME_LISTS = {
  staff: {
    summary: 'Who made a galgame',
    schema: Named('GalgameStaffEntry', {
      role: EnumOrNull(STAFF_ROLES),
      person: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'staff',
      target: 'person',
      select: `credit.role, ${creditedPersonRef('credit')} as person`,
      filters: { role: STAFF_ROLES },
    }),
    example: [
      { role: 'SCENARIO', person: ref(1, '麻枝准', null, null, { romaji_title: 'Maeda Jun' }) },
      {
        role: 'CHARACTER_DESIGN',
        person: ref(4, '樋上いたる', null, null, { romaji_title: 'Hinoue Itaru' }),
      },
    ],
  },
  characters: {
    summary: 'Characters of a galgame and their voice actors',
    schema: Named('GalgameCharacterEntry', {
      role: Enum(CHARACTER_ROLES),
      actors: Type.Array(Ref(OpenEntityRefDto)),
      character: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'characters',
      target: 'character',
      select: `
    credit.role,
    ${voiceActorsSql} as actors,
    ${characterRef} as character`,
      filters: { role: CHARACTER_ROLES },
    }),
    example: [
      { role: 'MAIN', actors: [], character: TOMOYA },
      { role: 'MAIN', actors: [MAI], character: NAGISA },
    ],
  },
  producers: {
    summary: 'Developers, publishers and localizers of a galgame',
    schema: Named('GalgameProducerEntry', {
      role: Enum(GALGAME_PRODUCER_ROLES),
      note: Type.String(),
      producer: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      ...producers,
      select: `credit.role, credit.note, ${producerRef} as producer`,
      filters: { role: GALGAME_PRODUCER_ROLES },
    }),
    example: [
      { role: 'DEVELOPER', note: '', producer: ref(9, 'Key') },
      { role: 'LOCALIZER', note: '', producer: ref(19, 'Sekai Project') },
    ],
  },
  developers: {
    summary: 'Developers of a galgame',
    schema: Named('GalgameDeveloperEntry', {
      ...Producer.properties,
      trans_name: NullableText,
      note: Type.String(),
    }),
    list: creditList({
      ...producers,
      name: 'developers',
      select: `${selectOf(PRODUCER_FIELDS, 'producer')}, producer.trans_name, credit.note`,
      only: `credit.role = 'DEVELOPER'`,
      join: `cross join lateral ${externalIdsSql('producer', 'producer')}`,
    }),
    example: [{ ...examplesOf(PRODUCER_FIELDS), trans_name: null, note: '' }],
  },
  relations: {
    summary: 'Galgames that belong to a galgame',
    schema: Named('GalgameRelationEntry', {
      relation: Enum(GALGAME_RELATIONS, {
        description: 'How the other galgame is related to this one',
      }),
      detail: Enum(GALGAME_RELATION_DETAILS, { description: 'The same, more precisely' }),
      galgame: Ref(RelatedGalgame),
    }),
    list: workList({
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
      'release_date', ${isoDaySql('related.release_date')},
      'covers', ${galgameCoversSql('related')},
      'name', related.origin_title,
      'trans_name', related.trans_title,
      'image', ${firstCoverSql('related')},
      ${localizedTitlesSql('galgame', 'related')}
    ) as galgame`,
      from: `galgame_relations link
    join galgames related on related.id = link.related_galgame_id
    join works related_work on related_work.id = related.id`,
      where: 'link.galgame_id = work.id',
      hidesNsfw: 'related_work',
      orderBy: 'link.position, link.related_galgame_id',
    }),
    example: [
      {
        relation: 'SEQUEL',
        detail: 'SEQUEL',
        galgame: {
          id: 2,
          origin_title: '智代アフター ～It’s a Wonderful Life～',
          trans_title: null,
          nsfw: true,
          release_date: '2005-11-25T00:00:00.000Z',
          covers: [],
          name: '智代アフター ～It’s a Wonderful Life～',
          trans_name: null,
          image: null,
          ...exampleTitles({
            en_title: "Tomoyo After ~It's a Wonderful Life~",
            romaji_title: "Tomoyo After ~It's a Wonderful Life~",
          }),
        },
      },
    ],
  },
} satisfies Record<string, ListDefinition>
