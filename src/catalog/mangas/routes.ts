import type { CatalogApp } from '../catalog-app.ts'
import { entryRoutes } from '../entry-routes.ts'
import { listRoute } from '../list-routes.ts'
import * as examples from './examples.ts'
import {
  mangaCharactersSql,
  mangaDetail,
  mangaPeopleSql,
  mangaProducersSql,
  mangaVolumesSql,
} from './queries.ts'
import {
  Manga,
  MangaVolumeEntry,
  MangaPersonEntry,
  MangaProducerEntry,
  MangaCharacterEntry,
} from './schemas.ts'

/** `mangas/**` (§4.1). */
export function mangaRoutes(app: CatalogApp) {
  const kind = 'manga'

  entryRoutes(app, kind, { schema: Manga, statement: mangaDetail, example: examples.MANGA_EXAMPLE })

  listRoute(app, {
    kind,
    name: 'volumes',
    summary: 'Volumes of a manga',
    schema: MangaVolumeEntry,
    list: mangaVolumesSql,
    example: examples.MANGA_VOLUMES_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'people',
    summary: 'Who wrote and drew a manga',
    schema: MangaPersonEntry,
    list: mangaPeopleSql,
    example: examples.MANGA_PEOPLE_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'producers',
    summary: 'Publishers, magazines and labels of a manga',
    schema: MangaProducerEntry,
    list: mangaProducersSql,
    example: examples.MANGA_PRODUCERS_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'characters',
    summary: 'Characters of a manga',
    schema: MangaCharacterEntry,
    list: mangaCharactersSql,
    example: examples.MANGA_CHARACTERS_EXAMPLE,
  })
}
