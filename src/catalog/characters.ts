import { Named } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { answersOf, examplesOf, selectOf } from './fields/field.ts'
import { CHARACTER_FIELDS } from './fields/character.ts'
import { outsideIds } from './sql-fragments.ts'
import { detailStatement } from './statements.ts'

/** §2.10, decision 0002 */
export const Character = Named('Character', answersOf(CHARACTER_FIELDS))

/** Decision 0002 */
export const characterDetail = detailStatement(
  'character',
  selectOf(CHARACTER_FIELDS, 'characters'),
  outsideIds('character', 'characters'),
)

/** `characters/**` (§4.1). */
export const characterRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'character', {
    schema: Character,
    statement: characterDetail,
    example: examplesOf(CHARACTER_FIELDS),
  })
