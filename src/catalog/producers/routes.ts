import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, type CatalogApp } from '../routes.ts'
import { PRODUCER_DETAIL } from './queries.ts'
import { Producer } from './schemas.ts'

/** `producers/**` (§4.1). */
export function producerRoutes(app: CatalogApp) {
  detailRoute(app, {
    kind: 'producer',
    tag: 'Producers',
    operationId: 'getProducer',
    url: '/producers/:id',
    summary: 'A producer: a company, circle, publisher, magazine or label',
    example: examples.PRODUCER,
    data: Producer,
    sql: PRODUCER_DETAIL,
  })

  batchRoute(app, {
    kind: 'producer',
    tag: 'Producers',
    operationId: 'getProducers',
    url: '/producers',
    summary: 'Several producers by id',
    example: examples.PRODUCER,
    data: Producer,
    sql: PRODUCER_DETAIL,
  })
}
