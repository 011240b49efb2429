import type { FastifySchema } from 'fastify'
import { sendEnvelope } from '../../http/wire/send-envelope.ts'
import { Ref } from '../../http/wire/schemas.ts'
import { okResponse, otherResponses } from '../documentation.ts'
import type { CatalogApp } from '../catalog-app.ts'
import { seesNsfw } from '../visibility.ts'
import { listChanges } from './queries.ts'
import { CatalogChanges, ChangesQuery } from './schemas.ts'

const SCOPE = 'catalog:sync'

const SUMMARY = 'What has changed in the catalog, for those who keep a copy'

const EXAMPLE = {
  items: [
    {
      id: 917,
      resource_type: 'galgame',
      resource_id: 1,
      kind: 'UPSERT',
      merged_to_id: null,
      created_at: '2026-11-21T09:30:00.000Z',
    },
    {
      id: 918,
      resource_type: 'person',
      resource_id: 12,
      kind: 'MERGE',
      merged_to_id: 11,
      created_at: '2026-11-21T09:30:00.000Z',
    },
  ],
  latest_id: 918,
  has_more: false,
}

/** `catalog/changes` (decision 0015). */
export function changeRoutes({ app, db, documented }: CatalogApp) {
  app.get<{ Querystring: ChangesQuery }>(
    '/catalog/changes',
    { schema: describe(documented), config: { access: 'catalog', scope: SCOPE } },
    async (request, reply) => {
      const { since = 0, limit = 100 } = request.query
      // One more than is asked for tells whether there are more.
      const query = { since, limit: limit + 1, seesNsfw: seesNsfw(request) }
      const { changes, latestId } = await listChanges(db, query)
      return sendEnvelope(request, reply, {
        items: changes.slice(0, limit),
        latest_id: latestId,
        has_more: changes.length > limit,
      })
    },
  )
}

const describe = (documented: boolean): FastifySchema => ({
  tags: ['Changes'],
  ...(documented ? { operationId: 'listCatalogChanges' } : { hide: true }),
  summary: SUMMARY,
  description:
    'Keep the last id you have seen and ask with it as `since`: no change is ever missed, whatever is written ' +
    'meanwhile. With `since=0` every entry comes at least once. A work comes again when one of its lists changes; ' +
    'ratings never come. When there is no more, `latest_id` is as good for `since` as the last id.',
  security: [{ application: [SCOPE] }, { user: [SCOPE] }],
  querystring: ChangesQuery,
  response: {
    200: okResponse(Ref(CatalogChanges), { summary: SUMMARY, example: EXAMPLE, cacheable: false }),
    ...otherResponses({ validated: true, scope: SCOPE, named: false, cacheable: false }),
  },
})
