import type { FastifyInstance } from 'fastify'
import { toCachedResponse } from '../../catalog/cache/cached-response.ts'
import { sendCached } from '../../catalog/cache/send-cached.ts'
import { seesNsfw } from '../../catalog/visibility.ts'
import type { Database } from '../../db/database.ts'
import { operation } from '../../http/document/operation.ts'
import { notOneOf } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { SITE_NAMES } from '../../sources/registry.ts'
import { LOOKUP_EXAMPLE } from './examples.ts'
import { findByOutsideIds } from './queries.ts'
import { noIsbn, noOutsideId, noQuestion, readLookup, type LookupQuery } from './read-request.ts'
import { LookupQueryParameters, LookupResult } from './schemas.ts'

/** `lookup`: entries by the ids that other sites have for them (decision 0018). */
export function lookupRoute(app: FastifyInstance, db: Database) {
  app.get<{ Querystring: LookupQuery }>(
    '/lookup',
    {
      schema: operation({
        access: 'catalog',
        tag: 'Search',
        operationId: 'lookUpEntries',
        summary: 'Entries by their ids at other sites, or by ISBN',
        description:
          'For programs that know a work from elsewhere. A volume is found as its work. What was merged is found as what ' +
          'it was merged into.',
        querystring: LookupQueryParameters,
        success: { 200: Envelope(Ref(LookupResult)) },
        example: LOOKUP_EXAMPLE,
        cacheable: true,
        faults: {
          noQuestion: noQuestion(),
          badSource: notOneOf('source', SITE_NAMES),
          badId: noOutsideId('r17', 'vndb'),
          badIsbn: noIsbn('978-4-09-186546-4'),
        },
      }),
      config: { access: 'catalog' },
      // The schema describes one of the two forms of several values; both are read by readLookup.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const { source, finder, ids, keys } = readLookup(request.query)
      const found = await findByOutsideIds(db, finder, source, keys, seesNsfw(request))
      const places = new Set(found.map(({ place }) => place))
      const data = {
        items: found.map(({ place, ...item }) => ({ source, id: ids[place], ...item })),
        missing: ids.filter((_, place) => !places.has(place)),
      }
      sendCached(request, reply, toCachedResponse({ nsfw: false, data: JSON.stringify(data) }))
      return reply
    },
  )
}
