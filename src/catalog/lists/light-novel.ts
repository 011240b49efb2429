import { Type } from 'typebox'
import { Named, NullableText, Ref } from '../../http/wire/schemas.ts'
import { CHARACTER_ROLES } from '../enums.ts'
import { exampleRef as ref } from '../example-parts.ts'
import { responseProperties, examplesOf, selectOf } from '../fields/field.ts'
import { LIGHT_NOVEL_VOLUME_FIELDS } from '../fields/light-novel.ts'
import type { ListDefinition } from '../entries/list-routes.ts'
import { Enum, OpenEntityRefDto } from '../schemas.ts'
import { characterRef, personRef, producerRef } from '../sql-fragments.ts'
import { creditList, workList } from '../statements.ts'

const kind = 'light_novel'
const byNumber = 'volume.volume_number nulls last, volume.id'

/** Lists of a light novel (§2.5, §2.6). */
export const LIGHT_NOVEL_LISTS = {
  volumes: {
    summary: 'Volumes of a light novel',
    schema: Named('LightNovelVolumeEntry', responseProperties(LIGHT_NOVEL_VOLUME_FIELDS)),
    list: workList({
      kind,
      name: 'volumes',
      select: selectOf(LIGHT_NOVEL_VOLUME_FIELDS, 'volume'),
      from: 'light_novel_volumes volume',
      where: 'volume.light_novel_id = work.id',
      orderBy: byNumber,
      sorts: {
        volume_number: byNumber,
        recent: `volume.publication_date desc nulls last, ${byNumber}`,
      },
    }),
    example: [examplesOf(LIGHT_NOVEL_VOLUME_FIELDS)],
  },
  people: {
    summary: 'Who wrote and illustrated a light novel',
    schema: Named('LightNovelPersonEntry', {
      relation: Type.String({ description: '`author`, `illustrator`, `translator`, `editor` …' }),
      note: NullableText,
      person: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'people',
      target: 'person',
      select: `credit.relation, credit.note, ${personRef} as person`,
      filters: { relation: ['author', 'illustrator'] },
    }),
    example: [
      { relation: 'author', note: null, person: ref(477, '谷川流') },
      { relation: 'illustrator', note: null, person: ref(478, 'いとうのいぢ') },
    ],
  },
  producers: {
    summary: 'Labels and publishers of a light novel',
    schema: Named('LightNovelProducerEntry', {
      relation: Type.String({ description: '`bunko`, `publisher` …' }),
      note: NullableText,
      producer: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'producers',
      target: 'producer',
      select: `credit.relation, credit.note, ${producerRef} as producer`,
      filters: { relation: ['bunko', 'publisher'] },
    }),
    example: [
      { relation: 'publisher', note: null, producer: ref(128, '角川書店') },
      { relation: 'bunko', note: null, producer: ref(131, '角川スニーカー文庫') },
    ],
  },
  characters: {
    summary: 'Characters of a light novel',
    schema: Named('LightNovelCharacterEntry', {
      role: Enum(CHARACTER_ROLES),
      character: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'characters',
      target: 'character',
      select: `credit.role, ${characterRef} as character`,
      filters: { role: CHARACTER_ROLES },
    }),
    example: [{ role: 'MAIN', character: ref(168, '涼宮ハルヒ', '凉宫春日') }],
  },
} satisfies Record<string, ListDefinition>
