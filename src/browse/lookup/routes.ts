import type { FastifyInstance } from 'fastify'
import { sendUncached } from '../../catalog/cache/send-cached.ts'
import { seesNsfw } from '../../catalog/visibility.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { notOneOf } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { SITE_NAMES } from '../../sources/registry.ts'
import { CLANNAD } from '../example-summaries.ts'
import { lookUpEntries } from './queries.ts'
import {
  invalidIsbn,
  invalidExternalId,
  missingIds,
  parseLookup,
  type LookupQuery,
} from './parse-request.ts'
import { LookupQueryParameters, LookupResult } from './schemas.ts'

/** Registers `lookup`, which finds entries by their ids at other sites (decision 0018). */
export function lookupRoute(app: FastifyInstance, db: Reads) {
  app.get<{ Querystring: LookupQuery }>(
    '/lookup',
    {
      ...documentedRoute({
        access: 'catalog',
        tag: 'Search',
        operationId: 'lookUpEntries',
        summary: 'Find entries by their ids at other sites, or by ISBN',
        description:
          'For programs that know an entry by its id at another site. The id of a volume finds its work, and the id of a ' +
          'merged entry finds the entry it was merged into.',
        querystring: LookupQueryParameters,
        success: { 200: Envelope(Ref(LookupResult)) },
        example: {
          items: [{ source: 'vndb', id: 'v4', type: 'galgame', volume_id: null, entry: CLANNAD }],
          missing: ['v999999'],
        },
        cacheable: true,
        faults: {
          noQuestion: missingIds(),
          badSource: notOneOf('source', SITE_NAMES),
          badId: invalidExternalId('r17', 'vndb'),
          badIsbn: invalidIsbn('978-4-09-186546-4'),
        },
      }),
      // No schema validation here: `parseLookup` accepts both forms of repeated values.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const { source, finder, ids, keys } = parseLookup(request.query)
      const found = await lookUpEntries(db, finder, source, keys, seesNsfw(request))
      const places = new Set(found.map(({ place }) => place))
      const data = {
        items: found.map(({ place, ...item }) => ({ source, id: ids[place], ...item })),
        missing: ids.filter((_, index) => !places.has(index)),
      }
      return sendUncached(request, reply, { nsfw: false, data: JSON.stringify(data) })
    },
  )
}
