import type { CatalogApp } from '../catalog-app.ts'
import { entryRoutes } from '../entry-routes.ts'
import { listRoute } from '../list-routes.ts'
import * as examples from './examples.ts'
import {
  lightNovelCharactersSql,
  lightNovelDetail,
  lightNovelPeopleSql,
  lightNovelProducersSql,
  lightNovelVolumesSql,
} from './queries.ts'
import {
  LightNovel,
  LightNovelVolumeEntry,
  LightNovelPersonEntry,
  LightNovelProducerEntry,
  LightNovelCharacterEntry,
} from './schemas.ts'

/** `light-novels/**` (§4.1). */
export function lightNovelRoutes(app: CatalogApp) {
  const kind = 'light_novel'

  entryRoutes(app, kind, {
    schema: LightNovel,
    statement: lightNovelDetail,
    example: examples.LIGHT_NOVEL_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'volumes',
    summary: 'Volumes of a light novel',
    schema: LightNovelVolumeEntry,
    list: lightNovelVolumesSql,
    example: examples.LIGHT_NOVEL_VOLUMES_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'people',
    summary: 'Who wrote and illustrated a light novel',
    schema: LightNovelPersonEntry,
    list: lightNovelPeopleSql,
    example: examples.LIGHT_NOVEL_PEOPLE_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'producers',
    summary: 'Labels and publishers of a light novel',
    schema: LightNovelProducerEntry,
    list: lightNovelProducersSql,
    example: examples.LIGHT_NOVEL_PRODUCERS_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'characters',
    summary: 'Characters of a light novel',
    schema: LightNovelCharacterEntry,
    list: lightNovelCharactersSql,
    example: examples.LIGHT_NOVEL_CHARACTERS_EXAMPLE,
  })
}
