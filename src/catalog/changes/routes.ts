import { operation } from '../../http/document/operation.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { sendEnvelope } from '../../http/wire/errors/send-envelope.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import type { CatalogApp } from '../catalog-app.ts'
import { seesNsfw } from '../visibility.ts'
import { listChanges } from './queries.ts'
import { CatalogChanges, ChangesQuery, MAX_CHANGES } from './schemas.ts'

const ACCESS = { access: 'catalog', scope: 'catalog:sync' } as const

const EXAMPLE = {
  items: [
    {
      id: 917,
      resource_type: 'GALGAME',
      resource_id: 1,
      kind: 'UPSERT',
      merged_to_id: null,
      created_at: '2026-11-21T09:30:00.000Z',
    },
    {
      id: 918,
      resource_type: 'PERSON',
      resource_id: 12,
      kind: 'MERGE',
      merged_to_id: 11,
      created_at: '2026-11-21T09:30:00.000Z',
    },
  ],
  latest_id: 918,
  has_more: false,
}

const schema = operation({
  ...ACCESS,
  tag: 'Changes',
  operationId: 'listCatalogChanges',
  summary: 'What has changed in the catalog, for those who keep a copy',
  description:
    'Keep the last id you have seen and ask with it as `since`: no change is ever missed, whatever is written ' +
    'meanwhile. With `since=0` everything comes at least once. A work comes again when one of its lists changes, a ' +
    'volume under its own id beside its work, a tag when a work first has it; ratings never come. ' +
    'When there is no more, `latest_id` serves as `since` just as well as the last id.',
  querystring: ChangesQuery,
  success: { 200: Envelope(Ref(CatalogChanges)) },
  example: EXAMPLE,
  faults: {
    badLimit: validationError([
      { field: 'limit', kind: 'maximum', code: 'schema.maximum', params: { limit: MAX_CHANGES } },
    ]),
  },
})

/** `catalog/changes` (decision 0015). */
export function changeRoutes({ app, db }: CatalogApp) {
  app.get<{ Querystring: ChangesQuery }>(
    '/catalog/changes',
    { schema, config: ACCESS },
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
