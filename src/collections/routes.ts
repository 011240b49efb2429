import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { linkHeader, pageOf, PageQuery } from '../http/wire/requests/paging.ts'
import { Envelope, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../http/wire/errors/send-envelope.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { operation } from '../http/document/operation.ts'
import { errorResponse } from '../http/document/responses.ts'
import {
  COLLECTION_PARAMS,
  COLLECTIONS_TAG,
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
import { parseCollectionKey } from './path-params.ts'

/** What the routes of the reader's own collections are made with. */
export type OwnCollections = {
  app: FastifyInstance
  db: Database
  apiUrl: string
  /** The prefix of the family of paths. */
  prefix: string
}

type One = { Params: { id: string } }

/** The reader's own collections. */
export function collectionRoutes({ app, db, apiUrl, prefix }: OwnCollections) {
  const path = '/collections'
  const one = `${path}/:id`

  app.get<{ Querystring: PageQuery }>(
    path,
    {
      config: READ_COLLECTIONS,
      schema: operation({
        ...READ_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'listCollections',
        summary: 'Your collections: the default one, then the oldest first',
        querystring: PageQuery,
        isList: true,
        success: { 200: Envelope(Type.Array(Ref(Collection))) },
      }),
    },
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
      config: WRITE_COLLECTIONS,
      attachValidation: true,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'createCollection',
        summary: 'Create a collection',
        body: NewCollection,
        success: { 200: Envelope(Ref(Collection)) },
        faults: { ...FAULTS.fields, ...FAULTS.tooMany },
      }),
    },
    async (request, reply) => {
      const created = await createCollection(
        db,
        accountOf(request),
        readTexts(request, NewCollection),
      )
      void reply.header('location', `${prefix}${path}/${created.id}`)
      return sendEnvelope(request, reply, created)
    },
  )

  app.get<One>(
    one,
    {
      config: READ_COLLECTIONS,
      schema: operation({
        ...READ_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'getCollection',
        summary: 'One of your collections',
        params: COLLECTION_PARAMS,
        success: { 200: Envelope(Ref(Collection)) },
        missing: MISSING.collection,
      }),
    },
    async (request, reply) =>
      sendEnvelope(
        request,
        reply,
        await requireCollection(db, accountOf(request), parseCollectionKey(request.params)),
      ),
  )

  app.patch<One>(
    one,
    {
      config: WRITE_COLLECTIONS,
      attachValidation: true,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'updateCollection',
        summary: 'Change what is sent of a collection',
        params: COLLECTION_PARAMS,
        body: CollectionChange,
        success: { 200: Envelope(Ref(Collection)) },
        missing: MISSING.collection,
        faults: FAULTS.fields,
      }),
    },
    async (request, reply) => {
      const key = parseCollectionKey(request.params)
      const change = readTexts(request, CollectionChange)
      return sendEnvelope(
        request,
        reply,
        await updateCollection(db, accountOf(request), key, change),
      )
    },
  )

  app.delete<One>(
    one,
    {
      config: WRITE_COLLECTIONS,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'deleteCollection',
        summary: 'Delete a collection with what is in it; 204 also when you have none of that id',
        description: 'For ten minutes it can be brought back.',
        params: COLLECTION_PARAMS,
        ignoresBody: true,
        success: { 204: Type.Null() },
        missing: MISSING.address,
        conflicts: { defaultStays: defaultStays() },
      }),
    },
    async (request, reply) => {
      await deleteCollection(db, accountOf(request), parseCollectionKey(request.params))
      return sendNothing(request, reply)
    },
  )

  app.post<One>(
    `${one}/restore`,
    {
      config: WRITE_COLLECTIONS,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'restoreCollection',
        summary:
          'Bring back a collection that was deleted in the last ten minutes, with what was in it',
        params: COLLECTION_PARAMS,
        ignoresBody: true,
        success: { 200: Envelope(Ref(Collection)) },
        missing: MISSING.deleted,
        more: { 422: errorResponse('There are too many already', FAULTS.tooMany) },
      }),
    },
    async (request, reply) => {
      const [accountId, id] = [accountOf(request), parseId(request.params.id)]
      await restoreCollection(db, accountId, id)
      return sendEnvelope(request, reply, await requireCollection(db, accountId, id))
    },
  )
}
