import { Type } from 'typebox'
import { Named, Ref } from '../../http/wire/schemas.ts'
import { CHARACTER_ROLES, MANGA_PERSON_ROLES, MANGA_PRODUCER_ROLES } from '../enums.ts'
import { exampleRef as ref } from '../example-parts.ts'
import { responseProperties, examplesOf, selectOf } from '../fields/field.ts'
import { MANGA_VOLUME_FIELDS } from '../fields/manga.ts'
import type { ListDefinition } from '../entries/list-routes.ts'
import { Enum, OpenEntityRefDto } from '../schemas.ts'
import { characterRef, personRef, producerRef } from '../sql-fragments.ts'
import { creditList, workList } from '../statements.ts'

const kind = 'manga'

/** Lists of a manga (§2.5, §2.7). `note` is never null here. */
export const MANGA_LISTS = {
  volumes: {
    summary: 'Volumes of a manga',
    schema: Named('MangaVolumeEntry', responseProperties(MANGA_VOLUME_FIELDS)),
    list: workList({
      kind,
      name: 'volumes',
      select: selectOf(MANGA_VOLUME_FIELDS, 'volume'),
      from: 'manga_volumes volume',
      where: 'volume.manga_id = work.id',
      orderBy: 'volume.volume_number nulls last, volume.id',
    }),
    example: [examplesOf(MANGA_VOLUME_FIELDS)],
  },
  people: {
    summary: 'Who wrote and drew a manga',
    schema: Named('MangaPersonEntry', {
      role: Enum(MANGA_PERSON_ROLES),
      note: Type.String(),
      person: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'people',
      target: 'person',
      select: `credit.role, credit.note, ${personRef} as person`,
    }),
    example: [{ role: 'AUTHOR', note: '', person: ref(476, '荒川弘') }],
  },
  producers: {
    summary: 'Publishers, magazines and labels of a manga',
    schema: Named('MangaProducerEntry', {
      role: Enum(MANGA_PRODUCER_ROLES),
      note: Type.String(),
      producer: Ref(OpenEntityRefDto),
    }),
    list: creditList({
      kind,
      list: 'producers',
      target: 'producer',
      select: `credit.role, credit.note, ${producerRef} as producer`,
    }),
    example: [
      { role: 'PUBLISHER', note: '', producer: ref(129, 'スクウェア・エニックス') },
      { role: 'MAGAZINE', note: '', producer: ref(130, '月刊少年ガンガン') },
    ],
  },
  characters: {
    summary: 'Characters of a manga',
    schema: Named('MangaCharacterEntry', {
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
    example: [{ role: 'MAIN', character: ref(163, 'エドワード・エルリック', '爱德华·艾尔利克') }],
  },
} satisfies Record<string, ListDefinition>
