import { Named } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { answersOf, examplesOf, selectOf } from './fields/field.ts'
import { PERSON_FIELDS } from './fields/person.ts'
import { detailStatement } from './statements.ts'

/** §2.8, decision 0002 */
export const Person = Named('Person', answersOf(PERSON_FIELDS))

/** Decision 0002 */
export const personDetail = detailStatement('person', selectOf(PERSON_FIELDS, 'people'))

/** `people/**` (§4.1). */
export const personRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'person', {
    schema: Person,
    statement: personDetail,
    example: examplesOf(PERSON_FIELDS),
  })
