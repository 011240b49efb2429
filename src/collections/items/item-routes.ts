import { Type } from 'typebox'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { errorResponse } from '../../http/document/responses.ts'
import { restoreItem } from '../deletion-queries.ts'
import {
  COLLECTION_PARAMS,
  FAULTS,
  ITEM_PARAMS,
  MISSING,
  READ_COLLECTIONS,
  WORK_PARAMS,
  WRITE_COLLECTIONS,
} from '../documentation.ts'
import { findItemPage, listCollectionsContaining, requireItem } from './item-queries.ts'
import { deleteItem, putItem } from './item-write-queries.ts'
import { moveItem } from './move-item-queries.ts'
import { noSuchCollection } from '../../http/wire/errors/feature-refusals.ts'
import { withDefaultCollection } from '../queries.ts'
import type { OwnCollections } from '../routes.ts'
import {
  CollectionItem,
  ContainingCollection,
  FavoritedItem,
  ItemChange,
  ItemPosition,
  ItemsPage,
  ItemsQuery,
} from '../schemas.ts'
import { readTexts } from '../text-rules.ts'
import {
  ownCollectionKey,
  parseWorkParams,
  type CollectionRequest,
  type ItemRequest,
} from '../path-params.ts'

const success = { 200: Envelope(Ref(CollectionItem)) }

export function itemRoutes({ app, db }: OwnCollections) {
  const path = '/collections'
  const items = `${path}/:id/items`
  const itemPath = `${items}/:kind/:work_id`

  app.get<CollectionRequest & { Querystring: ItemsQuery }>(
    items,
    documentedRoute({
      ...READ_COLLECTIONS,
      operationId: 'listCollectionItems',
      summary: 'The works in a collection, last added first or in your own order',
      params: COLLECTION_PARAMS,
      querystring: ItemsQuery,
      success: { 200: Envelope(ItemsPage) },
      missing: MISSING.collection,
      faults: FAULTS.items,
    }),
    async (request, reply) => {
      const collection = ownCollectionKey(request)
      const page = await withDefaultCollection(db, collection, () =>
        findItemPage(db, collection, request.query, true),
      )
      if (!page) throw noSuchCollection()
      return sendEnvelope(request, reply, page)
    },
  )

  app.get<ItemRequest>(
    itemPath,
    documentedRoute({
      ...READ_COLLECTIONS,
      operationId: 'getCollectionItem',
      summary: 'A work in a collection',
      params: ITEM_PARAMS,
      success,
      missing: { ...MISSING.collection, ...MISSING.item, ...MISSING.work },
    }),
    async (request, reply) => {
      const collection = ownCollectionKey(request)
      const item = await requireItem(db, collection, parseWorkParams(request.params))
      return sendEnvelope(request, reply, item)
    },
  )

  putAndDeleteRoutes({ app, db }, itemPath, {
    put: 'putCollectionItem',
    remove: 'deleteCollectionItem',
  })
  putAndDeleteRoutes({ app, db }, `${path}/:id/:kind/:work_id`, {
    put: 'putIntoCollection',
    remove: 'takeOutOfCollection',
  })

  app.get<{ Params: { kind: string; work_id: string } }>(
    `${path}/containing/:kind/:work_id`,
    documentedRoute({
      ...READ_COLLECTIONS,
      operationId: 'listCollectionsContaining',
      summary: 'Which of your collections contain a work',
      params: WORK_PARAMS,
      success: { 200: Envelope(Type.Array(Ref(ContainingCollection))) },
      missing: MISSING.work,
    }),
    async (request, reply) => {
      const work = parseWorkParams(request.params)
      const collections = await listCollectionsContaining(db, accountOf(request), work)
      return sendEnvelope(request, reply, collections)
    },
  )

  app.put<ItemRequest & { Body: ItemPosition }>(
    `${itemPath}/position`,
    documentedRoute({
      ...WRITE_COLLECTIONS,
      operationId: 'moveCollectionItem',
      summary: 'Move a work to a position in its collection',
      description:
        'The works in between move by one. Before the first move, the last added work comes first. After it, new works come last.',
      params: ITEM_PARAMS,
      body: ItemPosition,
      success: { 200: Envelope(ItemPosition) },
      missing: { ...MISSING.collection, ...MISSING.item, ...MISSING.work },
      faults: FAULTS.position,
    }),
    async (request, reply) => {
      const work = parseWorkParams(request.params)
      const position = await moveItem(db, ownCollectionKey(request), work, request.body.position)
      return sendEnvelope(request, reply, { position } satisfies ItemPosition)
    },
  )

  app.post<ItemRequest>(
    `${itemPath}/restore`,
    documentedRoute({
      ...WRITE_COLLECTIONS,
      operationId: 'restoreCollectionItem',
      summary: 'Restore a work that was removed in the last ten minutes, with its note',
      params: ITEM_PARAMS,
      ignoresBody: true,
      success,
      missing: { ...MISSING.collection, ...MISSING.deleted },
      more: { 422: errorResponse('The collection has the maximum number of works', FAULTS.full) },
    }),
    async (request, reply) => {
      const [collection, work] = [ownCollectionKey(request), parseWorkParams(request.params)]
      await restoreItem(db, collection, work)
      return sendEnvelope(request, reply, await requireItem(db, collection, work))
    },
  )
}

/** @param names operation ids of the two routes */
function putAndDeleteRoutes(
  { app, db }: Pick<OwnCollections, 'app' | 'db'>,
  url: string,
  names: { put: string; remove: string },
) {
  app.put<ItemRequest>(
    url,
    {
      ...documentedRoute({
        ...WRITE_COLLECTIONS,
        operationId: names.put,
        summary: 'Add a work to a collection, or change its note',
        description:
          "Without `note`, the stored note stays; null or '' clears it. You can add any work, nsfw or not.",
        params: ITEM_PARAMS,
        body: ItemChange,
        success: { 200: Envelope(Ref(FavoritedItem)) },
        missing: { ...MISSING.collection, ...MISSING.work },
        faults: { ...FAULTS.note, ...FAULTS.full },
      }),
      attachValidation: true,
      // A missing body is treated like an empty one.
      preValidation: (request, _reply, done) => {
        if (request.body === undefined) request.body = {}
        done()
      },
    },
    async (request, reply) => {
      const [collection, work] = [ownCollectionKey(request), parseWorkParams(request.params)]
      const { note } = readTexts(request, ItemChange)
      const item = await putItem(db, collection, work, note === null ? '' : note)
      return sendEnvelope(request, reply, { favorited: true, ...item } satisfies FavoritedItem)
    },
  )

  app.delete<ItemRequest>(
    url,
    documentedRoute({
      ...WRITE_COLLECTIONS,
      operationId: names.remove,
      summary:
        'Remove a work from a collection. Returns 204 even if the collection does not contain it.',
      params: ITEM_PARAMS,
      ignoresBody: true,
      success: { 204: Type.Null() },
      missing: MISSING.collection,
    }),
    async (request, reply) => {
      await deleteItem(db, ownCollectionKey(request), parseWorkParams(request.params))
      return sendNothing(request, reply)
    },
  )
}
