import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { callerOf } from '../../http/admission/access.ts'
import { bearerToken } from '../../http/admission/bearer.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { outdatedPosition } from '../../http/wire/errors/feature-refusals.ts'
import { validationError } from '../../http/wire/errors/refusals.ts'
import { sendEnvelope } from '../../http/wire/errors/send-envelope.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { recordWait } from '../../http/wire/waiting.ts'
import type { CatalogApp } from '../catalog-app.ts'
import { seesNsfw } from '../visibility.ts'
import { listChanges, type FeedPage } from './queries.ts'
import { CatalogChanges, ChangesQuery, MAX_CHANGES } from './schemas.ts'

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
  epoch: '0b8f6f0e-1d52-4c51-9c5a-3a6f1f0f6a11',
}

const route = documentedRoute({
  access: 'catalog',
  scope: 'catalog:sync',
  tag: 'Changes',
  operationId: 'listCatalogChanges',
  summary: 'Changes in the catalog, for clients that mirror it',
  description:
    'Store the last id you have processed and send it as `since`: no change is missed, even under concurrent writes. ' +
    'With `since=0`, every entry is reported at least once. A work is reported again when one of its lists changes, a ' +
    'volume under its own id in addition to its work, and a tag when a work first has it. Ratings are not reported. ' +
    'If `has_more` is false, you may also store `latest_id`. Store `epoch` as well, and send it with `since`. If the service ' +
    'lost changes, or no longer has the one with your id, the response is 409: discard your copy, and start again with `since=0`. ' +
    'With `wait`, the response comes as soon as there is a change, or after that many seconds without one. ' +
    'The number of requests that wait is limited for each app; further ones get 429.',
  querystring: ChangesQuery,
  success: { 200: Envelope(Ref(CatalogChanges)) },
  example: EXAMPLE,
  conflicts: { outdatedPosition: outdatedPosition() },
  faults: {
    badLimit: validationError([
      { field: 'limit', kind: 'maximum', code: 'schema.maximum', params: { limit: MAX_CHANGES } },
    ]),
  },
})

/** Registers the change feed, `catalog/changes` (decisions 0015 and 0053). */
export function changeRoutes({ app, db, waiters, verifyToken }: CatalogApp) {
  const authorizations = new LRUCache<string, string>({ max: 100 })
  /** Lets requests with the same token share one string, which is most of the memory of a waiting request. */
  function shareHeaders({ headers, raw }: FastifyRequest) {
    const { authorization = '' } = headers
    const shared = authorizations.get(authorization) ?? authorization
    authorizations.set(shared, shared)
    headers.authorization = shared
    // Holds another copy of the token. Nothing reads it after routing.
    raw.rawHeaders = []
  }

  app.get<{ Querystring: ChangesQuery }>('/catalog/changes', route, async (request, reply) => {
    const { since = 0, limit = 100, epoch: sentEpoch, wait = 0 } = request.query
    // Reads one more than requested to determine `has_more`.
    const query = { since, limit: limit + 1, seesNsfw: seesNsfw(request) }
    // Clients that send no epoch predate epochs, and get the same responses as before.
    const isOutdated = ({ isKnown, epoch }: FeedPage) =>
      since > 0 && sentEpoch !== undefined && !(isKnown && sentEpoch === epoch)
    const began = performance.now()
    if (wait > 0) shareHeaders(request)
    const { page, waited } = await waiters.read(
      {
        clientId: callerOf(request).clientId,
        waitMs: wait * 1_000,
        response: reply.raw,
        page: query,
      },
      () => listChanges(db, query),
      (read) => read.changes.length > 0 || isOutdated(read),
    )
    if (waited) {
      recordWait(request.raw, performance.now() - began)
      // The token may have been revoked in the meantime.
      await verifyToken(bearerToken(request.headers.authorization))
    }
    if (isOutdated(page)) throw outdatedPosition()
    const { changes, latestId, epoch } = page
    return sendEnvelope(request, reply, {
      items: changes.slice(0, limit),
      latest_id: latestId,
      has_more: changes.length > limit,
      epoch,
    })
  })
}
