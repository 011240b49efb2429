import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { linkHeader, pageOf, PageQuery } from '../http/wire/requests/paging.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../http/wire/errors/send-envelope.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { errorResponse } from '../http/document/responses.ts'
import {
  COLLECTION_PARAMS,
  FAULTS,
  MISSING,
  READ_COLLECTIONS,
  WRITE_COLLECTIONS,
} from './documentation.ts'
import {
  createCollection,
  listCollections,
  requireCollection,
  updateCollection,
} from './queries.ts'
import { deleteCollection, restoreCollection } from './deletion-queries.ts'
import { defaultStays } from '../http/wire/errors/feature-refusals.ts'
import { Collection, CollectionChange, NewCollection } from './schemas.ts'
import { readTexts } from './text-rules.ts'
import { ownCollectionKey, type CollectionRequest } from './path-params.ts'

export type OwnCollections = { app: FastifyInstance; db: Database; apiUrl: string; prefix: string }

export function collectionRoutes({ app, db, apiUrl, prefix }: OwnCollections) {
  const path = '/collections'
  const collectionPath = `${path}/:id`
  const success = { 200: Envelope(Ref(Collection)) }

  app.get<{ Querystring: PageQuery }>(
    path,
    documentedRoute({
      ...READ_COLLECTIONS,
      operationId: 'listCollections',
      summary: 'Your collections: the default one, then the oldest first',
      querystring: PageQuery,
      isList: true,
      success: { 200: Envelope(Type.Array(Ref(Collection))) },
    }),
    async (request, reply) => {
      const page = pageOf(request.query)
      const { collections, total } = await listCollections(db, accountOf(request), page)
      void reply.header('x-total-count', total)
      if (page) void reply.header('link', linkHeader(new URL(apiUrl + request.url), page, total))
      return sendEnvelope(request, reply, collections)
    },
  )

  app.post(
    path,
    {
      ...documentedRoute({
        ...WRITE_COLLECTIONS,
        operationId: 'createCollection',
        summary: 'Create a collection',
        body: NewCollection,
        success,
        faults: { ...FAULTS.fields, ...FAULTS.tooMany },
      }),
      attachValidation: true,
    },
    async (request, reply) => {
      const collection = readTexts(request, NewCollection)
      const created = await createCollection(db, accountOf(request), collection)
      void reply.header('location', `${prefix}${path}/${created.id}`)
      return sendEnvelope(request, reply, created)
    },
  )

  app.get<CollectionRequest>(
    collectionPath,
    documentedRoute({
      ...READ_COLLECTIONS,
      operationId: 'getCollection',
      summary: 'One of your collections',
      params: COLLECTION_PARAMS,
      success,
      missing: MISSING.collection,
    }),
    async (request, reply) => {
      const { accountId, key } = ownCollectionKey(request)
      return sendEnvelope(request, reply, await requireCollection(db, accountId, key))
    },
  )

  app.patch<CollectionRequest>(
    collectionPath,
    {
      ...documentedRoute({
        ...WRITE_COLLECTIONS,
        operationId: 'updateCollection',
        summary: 'Change the fields of a collection that you send',
        params: COLLECTION_PARAMS,
        body: CollectionChange,
        success,
        missing: MISSING.collection,
        faults: FAULTS.fields,
      }),
      attachValidation: true,
    },
    async (request, reply) => {
      const { accountId, key } = ownCollectionKey(request)
      const change = readTexts(request, CollectionChange)
      return sendEnvelope(request, reply, await updateCollection(db, accountId, key, change))
    },
  )

  app.delete<CollectionRequest>(
    collectionPath,
    documentedRoute({
      ...WRITE_COLLECTIONS,
      operationId: 'deleteCollection',
      summary:
        'Delete a collection with its items. Returns 204 even if you have no such collection.',
      description: 'You can restore it for ten minutes.',
      params: COLLECTION_PARAMS,
      ignoresBody: true,
      success: { 204: Type.Null() },
      missing: MISSING.path,
      conflicts: { defaultStays: defaultStays() },
    }),
    async (request, reply) => {
      const { accountId, key } = ownCollectionKey(request)
      await deleteCollection(db, accountId, key)
      return sendNothing(request, reply)
    },
  )

  app.post<CollectionRequest>(
    `${collectionPath}/restore`,
    documentedRoute({
      ...WRITE_COLLECTIONS,
      operationId: 'restoreCollection',
      summary: 'Restore a collection that was deleted in the last ten minutes, with its items',
      params: COLLECTION_PARAMS,
      ignoresBody: true,
      success,
      missing: MISSING.deleted,
      more: { 422: errorResponse('You have the maximum number of collections', FAULTS.tooMany) },
    }),
    async (request, reply) => {
      const [accountId, id] = [accountOf(request), parseId(request.params.id)]
      await restoreCollection(db, accountId, id)
      return sendEnvelope(request, reply, await requireCollection(db, accountId, id))
    },
  )
}
