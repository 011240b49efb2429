import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { toCachedResponse } from '../catalog/cache/cached-response.ts'
import { sendCached } from '../catalog/cache/send-cached.ts'
import { seesNsfw } from '../catalog/visibility.ts'
import type { Database } from '../db/database.ts'
import { operation, type Operation } from '../http/document/operation.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import { Envelope, Id, Ref } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { COLLECTIONS_TAG, FAULTS, MISSING } from './documentation.ts'
import { PUBLIC_COLLECTION, PUBLIC_ITEMS } from './examples.ts'
import { publicCollectionById } from './items/item-sql-fragments.ts'
import { findItemPage } from './items/item-queries.ts'
import { findPublicCollection, toPublicCollection } from './public-queries.ts'
import { ItemsPage, ItemsQuery, PublicCollection } from './schemas.ts'

type PublicCollections = {
  app: FastifyInstance
  db: Database
  /** Where pictures of readers are. */
  authUrl: string
}
type One = { Params: { id: string } }

const CATALOG = { access: 'catalog' } as const

const SHARED = {
  ...CATALOG,
  tag: COLLECTIONS_TAG,
  params: Type.Object({ id: Id }),
  cacheable: true,
  missing: MISSING.address,
} satisfies Partial<Operation>

/** Collections that are not private, for everyone who may read the catalog. A private one answers like a missing one. */
export function publicCollectionRoutes({ app, db, authUrl }: PublicCollections) {
  const one = '/collections/:id'

  app.get<One>(
    one,
    {
      config: CATALOG,
      schema: operation({
        ...SHARED,
        operationId: 'getPublicCollection',
        summary: 'A collection that its reader shows',
        success: { 200: Envelope(Ref(PublicCollection)) },
        example: PUBLIC_COLLECTION,
      }),
    },
    async (request, reply) => {
      const found = await findPublicCollection(db, parseId(request.params.id), seesNsfw(request))
      if (!found) throw notFound()
      return sendWithEtag(request, reply, toPublicCollection(found, authUrl))
    },
  )

  app.get<One & { Querystring: ItemsQuery }>(
    `${one}/items`,
    {
      config: CATALOG,
      schema: operation({
        ...SHARED,
        operationId: 'listPublicCollectionItems',
        summary:
          'What is in such a collection, the last added first; nsfw works with catalog:full only',
        querystring: ItemsQuery,
        success: { 200: Envelope(ItemsPage) },
        example: PUBLIC_ITEMS,
        faults: FAULTS.items,
      }),
    },
    async (request, reply) => {
      const collection = publicCollectionById(parseId(request.params.id))
      const items = await findItemPage(db, collection, request.query, seesNsfw(request))
      if (!items) throw notFound()
      return sendWithEtag(request, reply, items)
    },
  )
}

function sendWithEtag(request: FastifyRequest, reply: FastifyReply, value: unknown) {
  sendCached(request, reply, toCachedResponse({ nsfw: false, data: JSON.stringify(value) }))
  return reply
}
