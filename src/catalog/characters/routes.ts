import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, type CatalogApp } from '../routes.ts'
import { CHARACTER_DETAIL } from './queries.ts'
import { Character } from './schemas.ts'

/** `characters/**` (§4.1). */
export function characterRoutes(app: CatalogApp) {
  detailRoute(app, {
    kind: 'character',
    tag: 'Characters',
    operationId: 'getCharacter',
    url: '/characters/:id',
    summary: 'A character',
    example: examples.CHARACTER,
    data: Character,
    sql: CHARACTER_DETAIL,
  })

  batchRoute(app, {
    kind: 'character',
    tag: 'Characters',
    operationId: 'getCharacters',
    url: '/characters',
    summary: 'Several characters by id',
    example: examples.CHARACTER,
    data: Character,
    sql: CHARACTER_DETAIL,
  })
}
