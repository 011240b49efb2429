import { StringEnum } from '../../http/wire/schemas.ts'
import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, listRoute, type CatalogApp } from '../routes.ts'
import { CHARACTER_ROLES } from '../enums.ts'
import {
  LIGHT_NOVEL_CHARACTERS,
  LIGHT_NOVEL_DETAIL,
  LIGHT_NOVEL_PEOPLE,
  LIGHT_NOVEL_PRODUCERS,
  LIGHT_NOVEL_VOLUMES,
} from './queries.ts'
import {
  LightNovel,
  LightNovelCharacterEntry,
  LightNovelPersonEntry,
  LightNovelProducerEntry,
  LightNovelVolumeEntry,
} from './schemas.ts'

/** `light-novels/**` (§4.1). */
export function lightNovelRoutes(app: CatalogApp) {
  const of = { kind: 'light_novel', tag: 'Light novels' } as const

  detailRoute(app, {
    ...of,
    operationId: 'getLightNovel',
    url: '/light-novels/:id',
    summary: 'A light novel',
    example: examples.LIGHT_NOVEL,
    data: LightNovel,
    sql: LIGHT_NOVEL_DETAIL,
  })

  batchRoute(app, {
    ...of,
    operationId: 'getLightNovels',
    url: '/light-novels',
    summary: 'Several light novels by id',
    example: examples.LIGHT_NOVEL,
    data: LightNovel,
    sql: LIGHT_NOVEL_DETAIL,
  })

  listRoute(app, {
    ...of,
    operationId: 'listLightNovelVolumes',
    url: '/light-novels/:id/volumes',
    summary: 'Volumes of a light novel',
    example: examples.LIGHT_NOVEL_VOLUMES,
    entry: LightNovelVolumeEntry,
    sql: LIGHT_NOVEL_VOLUMES,
    filter: { name: 'sort', schema: StringEnum(['volume_number', 'recent']) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listLightNovelPeople',
    url: '/light-novels/:id/people',
    summary: 'Who wrote and illustrated a light novel',
    example: examples.LIGHT_NOVEL_PEOPLE,
    entry: LightNovelPersonEntry,
    sql: LIGHT_NOVEL_PEOPLE,
    filter: { name: 'relation', schema: StringEnum(['author', 'illustrator']) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listLightNovelProducers',
    url: '/light-novels/:id/producers',
    summary: 'Labels and publishers of a light novel',
    example: examples.LIGHT_NOVEL_PRODUCERS,
    entry: LightNovelProducerEntry,
    sql: LIGHT_NOVEL_PRODUCERS,
    filter: { name: 'relation', schema: StringEnum(['bunko', 'publisher']) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listLightNovelCharacters',
    url: '/light-novels/:id/characters',
    summary: 'Characters of a light novel',
    example: examples.LIGHT_NOVEL_CHARACTERS,
    entry: LightNovelCharacterEntry,
    sql: LIGHT_NOVEL_CHARACTERS,
    filter: { name: 'role', schema: StringEnum(CHARACTER_ROLES) },
  })
}
