import { Named } from '../http/wire/schemas.ts'
import type { CatalogApp } from './catalog-app.ts'
import { entryRoutes } from './entry-routes.ts'
import { answersOf, examplesOf, selectOf } from './fields/field.ts'
import { PRODUCER_FIELDS } from './fields/producer.ts'
import { outsideIds } from './sql-fragments.ts'
import { detailStatement } from './statements.ts'

/** §2.9, decision 0002 */
export const Producer = Named('Producer', answersOf(PRODUCER_FIELDS))

/** Decision 0002 */
export const producerDetail = detailStatement(
  'producer',
  selectOf(PRODUCER_FIELDS, 'producers'),
  outsideIds('producer', 'producers'),
)

/** `producers/**` (§4.1). */
export const producerRoutes = (app: CatalogApp) =>
  entryRoutes(app, 'producer', {
    schema: Producer,
    statement: producerDetail,
    example: examplesOf(PRODUCER_FIELDS),
  })
