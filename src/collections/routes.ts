import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { Paged, paged, pageOfCollection, PageQuery } from '../http/wire/paging.ts'
import { Envelope, errorResponse, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../http/wire/send-envelope.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { COLLECTION_PARAMS, documentReading, documentWriting, FAULTS, MISSING } from './documentation.ts'
import {
  createCollection,
  deleteCollection,
  listCollections,
  requireCollection,
  updateCollection,
} from './queries.ts'
import { defaultStays } from './refusals.ts'
import { Collection, CollectionChange, NewCollection } from './schemas.ts'
import { readTexts } from './text-rules.ts'
import { collectionOf } from './work-path.ts'

/** What the routes of the reader's own collections are made with. */
export type OwnCollections = {
  app: FastifyInstance
  db: Database
  /** Of this family of paths: `/v3/user/me/collections`. */
  path: string
  documented: boolean
}

export const READ = { access: 'user', scope: 'collection:read' } as const
export const WRITE = { access: 'user', scope: 'collection:write' } as const

type One = { Params: { id: string } }

/** The reader's own collections. */
export function collectionRoutes({ app, db, path, documented }: OwnCollections) {
  const one = `${path}/:id`

  app.get<{ Querystring: PageQuery }>(
    path,
    {
      config: READ,
      schema: {
        ...documentReading({
          operationId: 'listCollections',
          summary: 'Your collections: the default one, then the oldest first',
          success: { 200: Envelope(Paged(Ref(Collection))) },
          faults: FAULTS.page,
          documented,
        }),
        querystring: PageQuery,
      },
    },
    async (request, reply) => {
      const page = pageOfCollection(request.query)
      const { collections, total } = await listCollections(db, accountOf(request), page)
      return sendEnvelope(request, reply, paged(collections, page, total))
    },
  )

  app.post(
    path,
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        ...documentWriting({
          operationId: 'createCollection',
          summary: 'Create a collection',
          success: { 201: Envelope(Ref(Collection)) },
          takesBody: true,
          faults: { ...FAULTS.fields, ...FAULTS.tooMany },
          documented,
        }),
        body: NewCollection,
      },
    },
    async (request, reply) => {
      const created = await createCollection(db, accountOf(request), readTexts(request, NewCollection))
      void reply.status(201).header('location', `${path}/${created.id}`)
      return sendEnvelope(request, reply, created)
    },
  )

  app.get<One>(
    one,
    {
      config: READ,
      schema: {
        ...documentReading({
          operationId: 'getCollection',
          summary: 'One of your collections',
          success: { 200: Envelope(Ref(Collection)) },
          missing: MISSING.collection,
          documented,
        }),
        params: COLLECTION_PARAMS,
      },
    },
    async (request, reply) =>
      sendEnvelope(
        request,
        reply,
        await requireCollection(db, accountOf(request), collectionOf(request.params)),
      ),
  )

  app.patch<One>(
    one,
    {
      config: WRITE,
      attachValidation: true,
      schema: {
        ...documentWriting({
          operationId: 'updateCollection',
          summary: 'Change what is sent of a collection',
          success: { 200: Envelope(Ref(Collection)) },
          missing: MISSING.collection,
          takesBody: true,
          faults: FAULTS.fields,
          documented,
        }),
        params: COLLECTION_PARAMS,
        body: CollectionChange,
      },
    },
    async (request, reply) => {
      const key = collectionOf(request.params)
      const change = readTexts(request, CollectionChange)
      return sendEnvelope(request, reply, await updateCollection(db, accountOf(request), key, change))
    },
  )

  app.delete<One>(
    one,
    {
      config: WRITE,
      schema: {
        ...documentWriting({
          operationId: 'deleteCollection',
          summary: 'Delete a collection with what is in it; that you have none of that id is as good',
          success: { 204: Type.Null() },
          missing: MISSING.address,
          more: { 409: errorResponse('The default collection stays', { default: defaultStays() }) },
          documented,
        }),
        params: COLLECTION_PARAMS,
      },
    },
    async (request, reply) => {
      await deleteCollection(db, accountOf(request), collectionOf(request.params))
      return sendNothing(request, reply)
    },
  )
}
