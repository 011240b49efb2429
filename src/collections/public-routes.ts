import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { toCachedResponse } from '../catalog/cached-response.ts'
import { okResponse, otherResponses } from '../catalog/documentation.ts'
import { sendCached } from '../catalog/send-cached.ts'
import type { Database } from '../db/database.ts'
import { callerOf } from '../http/admission/access.ts'
import { notFound } from '../http/wire/errors.ts'
import { Paged } from '../http/wire/paging.ts'
import { Id, Ref } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/validation.ts'
import { FAULTS } from './documentation.ts'
import { PUBLIC_COLLECTION, PUBLIC_ITEMS } from './examples.ts'
import { publicCollection } from './item-sql-fragments.ts'
import { findItemPage } from './item-queries.ts'
import { findPublicCollection } from './public-queries.ts'
import { CollectionItem, ItemsQuery, PublicCollection } from './schemas.ts'

type PublicCollections = { app: FastifyInstance; db: Database; prefix: string; documented: boolean }
type One = { Params: { id: string } }

const CATALOG = { access: 'catalog' } as const

/** Collections that are not private, for whoever may read the catalog. A private one answers like a missing one. */
export function publicCollectionRoutes({ app, db, prefix, documented }: PublicCollections) {
  const one = `${prefix}/collections/:id`

  app.get<One>(
    one,
    {
      config: CATALOG,
      schema: describe({
        operationId: 'getPublicCollection',
        summary: 'A collection that its reader shows',
        data: Ref(PublicCollection),
        example: PUBLIC_COLLECTION,
        documented,
      }),
    },
    async (request, reply) => {
      const found = await findPublicCollection(db, parseId(request.params.id), seesNsfw(request))
      if (!found) throw notFound()
      return sendWithEtag(request, reply, found)
    },
  )

  app.get<One & { Querystring: ItemsQuery }>(
    `${one}/items`,
    {
      config: CATALOG,
      schema: {
        ...describe({
          operationId: 'listPublicCollectionItems',
          summary: 'What is in such a collection, the last added first; nsfw works with catalog:full only',
          data: Paged(Ref(CollectionItem)),
          example: PUBLIC_ITEMS,
          documented,
          validated: true,
        }),
        querystring: ItemsQuery,
      },
    },
    async (request, reply) => {
      const collection = publicCollection(parseId(request.params.id))
      const items = await findItemPage(db, collection, request.query, seesNsfw(request))
      if (!items) throw notFound()
      return sendWithEtag(request, reply, items)
    },
  )
}

const seesNsfw = (request: FastifyRequest) => callerOf(request).scopes.has('catalog:full')

function sendWithEtag(request: FastifyRequest, reply: FastifyReply, value: unknown) {
  sendCached(request, reply, toCachedResponse({ nsfw: false, data: JSON.stringify(value) }))
  return reply
}

type Described = {
  operationId: string
  summary: string
  data: TSchema
  example: unknown
  documented: boolean
  validated?: boolean
}

const describe = ({
  operationId,
  summary,
  data,
  example,
  documented,
  validated = false,
}: Described): FastifySchema => ({
  tags: ['Collections'],
  ...(documented ? { operationId } : { hide: true }),
  summary,
  security: [{ application: ['catalog:read'] }, { user: ['catalog:read'] }],
  params: Type.Object({ id: Id }),
  response: {
    200: okResponse(data, { summary, example }),
    ...otherResponses({ validated, faults: { ...FAULTS.page, ...FAULTS.workType } }),
  },
})
