import { StringEnum } from '../../http/wire/schemas.ts'
import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, listRoute, type CatalogApp } from '../routes.ts'
import { CHARACTER_ROLES } from '../enums.ts'
import { MANGA_CHARACTERS, MANGA_DETAIL, MANGA_PEOPLE, MANGA_PRODUCERS, MANGA_VOLUMES } from './queries.ts'
import {
  Manga,
  MangaCharacterEntry,
  MangaPersonEntry,
  MangaProducerEntry,
  MangaVolumeEntry,
} from './schemas.ts'

/** `mangas/**` (§4.1). */
export function mangaRoutes(app: CatalogApp) {
  const of = { kind: 'manga', tag: 'Mangas' } as const

  detailRoute(app, {
    ...of,
    operationId: 'getManga',
    url: '/mangas/:id',
    summary: 'A manga',
    example: examples.MANGA,
    data: Manga,
    sql: MANGA_DETAIL,
  })

  batchRoute(app, {
    ...of,
    operationId: 'getMangas',
    url: '/mangas',
    summary: 'Several mangas by id',
    example: examples.MANGA,
    data: Manga,
    sql: MANGA_DETAIL,
  })

  listRoute(app, {
    ...of,
    operationId: 'listMangaVolumes',
    url: '/mangas/:id/volumes',
    summary: 'Volumes of a manga',
    example: examples.MANGA_VOLUMES,
    entry: MangaVolumeEntry,
    sql: MANGA_VOLUMES,
  })

  listRoute(app, {
    ...of,
    operationId: 'listMangaPeople',
    url: '/mangas/:id/people',
    summary: 'Who wrote and drew a manga',
    example: examples.MANGA_PEOPLE,
    entry: MangaPersonEntry,
    sql: MANGA_PEOPLE,
  })

  listRoute(app, {
    ...of,
    operationId: 'listMangaProducers',
    url: '/mangas/:id/producers',
    summary: 'Publishers, magazines and labels of a manga',
    example: examples.MANGA_PRODUCERS,
    entry: MangaProducerEntry,
    sql: MANGA_PRODUCERS,
  })

  listRoute(app, {
    ...of,
    operationId: 'listMangaCharacters',
    url: '/mangas/:id/characters',
    summary: 'Characters of a manga',
    example: examples.MANGA_CHARACTERS,
    entry: MangaCharacterEntry,
    sql: MANGA_CHARACTERS,
    filter: { name: 'role', schema: StringEnum(CHARACTER_ROLES) },
  })
}
