import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, type CatalogApp } from '../routes.ts'
import { PERSON_DETAIL } from './queries.ts'
import { Person } from './schemas.ts'

/** `people/**` (§4.1). */
export function personRoutes(app: CatalogApp) {
  detailRoute(app, {
    kind: 'person',
    tag: 'People',
    operationId: 'getPerson',
    url: '/people/:id',
    summary: 'A person',
    example: examples.PERSON,
    data: Person,
    sql: PERSON_DETAIL,
  })

  batchRoute(app, {
    kind: 'person',
    tag: 'People',
    operationId: 'getPeople',
    url: '/people',
    summary: 'Several people by id',
    example: examples.PERSON,
    data: Person,
    sql: PERSON_DETAIL,
  })
}
