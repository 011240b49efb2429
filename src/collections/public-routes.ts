import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { sendUncached } from '../catalog/cache/send-cached.ts'
import { seesNsfw } from '../catalog/visibility.ts'
import type { Database } from '../db/database.ts'
import { documentedRoute, type Operation } from '../http/document/operation.ts'
import { notFound } from '../http/wire/errors/refusals.ts'
import { Envelope, Id, Ref } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { COLLECTIONS_TAG, FAULTS, MISSING } from './documentation.ts'
import { findItemPage } from './items/item-queries.ts'
import { findPublicCollection, findPublicOwner, toPublicCollection } from './public-queries.ts'
import { ItemsPage, ItemsQuery, PublicCollection } from './schemas.ts'

type PublicCollections = { app: FastifyInstance; db: Database; authUrl: string }
type IdParams = { Params: { id: string } }

const SHARED = {
  access: 'catalog',
  tag: COLLECTIONS_TAG,
  params: Type.Object({ id: Id }),
  cacheable: true,
  missing: MISSING.path,
} satisfies Partial<Operation>

const EXAMPLE_COLLECTION = {
  id: 3021873329440212,
  name: 'Quiet endings',
  description: 'To be read in winter.',
  owner: { id: 7, name: 'Nagisa', picture: null },
  item_count: 1,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T08:30:00.000Z',
}

const NO_OTHER_TITLES = { en_title: null, romaji_title: null, ko_title: null }

const EXAMPLE_ITEMS = {
  items: [
    {
      type: 'galgame',
      id: 2718281828459045,
      work_type: 'GALGAME',
      work_id: 1,
      work: { id: 1, name: 'CLANNAD', trans_name: null, ...NO_OTHER_TITLES, image: null },
      note: 'With tissues.',
      created_at: '2026-11-21T08:30:00.000Z',
      added_at: '2026-11-21T08:30:00.000Z',
      updated_at: '2026-11-21T08:30:00.000Z',
      galgame: {
        id: 1,
        origin_title: 'CLANNAD',
        trans_title: null,
        release_date: '2004-04-28T00:00:00.000Z',
        nsfw: false,
        covers: [],
        producers: [
          {
            role: 'DEVELOPER',
            note: '',
            producer: { id: 24, name: 'Key', trans_name: null, ...NO_OTHER_TITLES, image: null },
          },
        ],
      },
    },
  ],
  meta: { page: 1, page_size: 10, item_count: 1, total_items: 1, total_pages: 1 },
  type_counts: { total: 1, galgame: 1, light_novel: 0, manga: 0, article: 0, post: 0 },
}

/** Registers the routes of public collections. A private collection is reported as missing. */
export function publicCollectionRoutes({ app, db, authUrl }: PublicCollections) {
  const collectionPath = '/collections/:id'

  app.get<IdParams>(
    collectionPath,
    documentedRoute({
      ...SHARED,
      operationId: 'getPublicCollection',
      summary: 'A public collection',
      success: { 200: Envelope(Ref(PublicCollection)) },
      example: EXAMPLE_COLLECTION,
    }),
    async (request, reply) => {
      const found = await findPublicCollection(db, parseId(request.params.id), seesNsfw(request))
      if (!found) throw notFound()
      return sendUncached(request, reply, {
        nsfw: false,
        data: JSON.stringify(toPublicCollection(found, authUrl)),
      })
    },
  )

  app.get<IdParams & { Querystring: ItemsQuery }>(
    `${collectionPath}/items`,
    documentedRoute({
      ...SHARED,
      operationId: 'listPublicCollectionItems',
      summary:
        'The works in a public collection, last added first; nsfw works only with catalog:full',
      querystring: ItemsQuery,
      success: { 200: Envelope(ItemsPage) },
      example: EXAMPLE_ITEMS,
      faults: FAULTS.items,
    }),
    async (request, reply) => {
      const key = parseId(request.params.id)
      const accountId = await findPublicOwner(db, key)
      if (accountId === undefined) throw notFound()
      const items = await findItemPage(db, { accountId, key }, request.query, seesNsfw(request))
      if (!items) throw notFound()
      return sendUncached(request, reply, { nsfw: false, data: JSON.stringify(items) })
    },
  )
}
