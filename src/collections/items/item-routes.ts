import { Type } from 'typebox'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope, sendNothing } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { operation } from '../../http/document/operation.ts'
import {
  COLLECTION_PARAMS,
  COLLECTIONS_TAG,
  FAULTS,
  ITEM_PARAMS,
  MISSING,
  READ_COLLECTIONS,
  WORK_PARAMS,
  WRITE_COLLECTIONS,
} from '../documentation.ts'
import { ownCollection } from './item-sql-fragments.ts'
import { findItemPage, listCollectionsContaining, requireItem } from './item-queries.ts'
import { deleteItem, putItem } from './item-write-queries.ts'
import { noSuchCollection } from '../../http/wire/errors/feature-refusals.ts'
import { withDefaultCollection } from '../queries.ts'
import type { OwnCollections } from '../routes.ts'
import {
  CollectionItem,
  ContainingCollection,
  FavoritedItem,
  ItemChange,
  ItemsPage,
  ItemsQuery,
} from '../schemas.ts'
import { readTexts } from '../text-rules.ts'
import { parseCollectionKey, parseWorkParams } from '../path-params.ts'

type Work = { kind: string; work_id: string }
type Item = { Params: Work & { id: string } }

/** What is in the reader's own collections. */
export function itemRoutes({ app, db }: OwnCollections) {
  const path = '/collections'
  const items = `${path}/:id/items`
  const one = `${items}/:kind/:work_id`

  app.get<{ Params: { id: string }; Querystring: ItemsQuery }>(
    items,
    {
      config: READ_COLLECTIONS,
      schema: operation({
        ...READ_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'listCollectionItems',
        summary: 'What is in a collection, the last added first or as you have ordered it',
        params: COLLECTION_PARAMS,
        querystring: ItemsQuery,
        success: { 200: Envelope(ItemsPage) },
        missing: MISSING.collection,
        faults: FAULTS.items,
      }),
    },
    async (request, reply) => {
      const [accountId, key] = [accountOf(request), parseCollectionKey(request.params)]
      const items = await withDefaultCollection(db, { accountId, key }, () =>
        findItemPage(db, ownCollection(accountId, key), request.query, true),
      )
      if (!items) throw noSuchCollection()
      return sendEnvelope(request, reply, items)
    },
  )

  app.get<Item>(
    one,
    {
      config: READ_COLLECTIONS,
      schema: operation({
        ...READ_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'getCollectionItem',
        summary: 'A work in a collection',
        params: ITEM_PARAMS,
        success: { 200: Envelope(Ref(CollectionItem)) },
        missing: { ...MISSING.collection, ...MISSING.item, ...MISSING.work },
      }),
    },
    async (request, reply) => {
      const collection = { accountId: accountOf(request), key: parseCollectionKey(request.params) }
      return sendEnvelope(
        request,
        reply,
        await requireItem(db, collection, parseWorkParams(request.params)),
      )
    },
  )

  putAndDeleteRoutes({ app, db }, one, { put: 'putCollectionItem', remove: 'deleteCollectionItem' })
  putAndDeleteRoutes({ app, db }, `${path}/:id/:kind/:work_id`, {
    put: 'putIntoCollection',
    remove: 'takeOutOfCollection',
  })

  app.get<{ Params: Work }>(
    `${path}/containing/:kind/:work_id`,
    {
      config: READ_COLLECTIONS,
      schema: operation({
        ...READ_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'listCollectionsContaining',
        summary: 'Which of your collections hold a work',
        params: WORK_PARAMS,
        success: { 200: Envelope(Type.Array(Ref(ContainingCollection))) },
        missing: MISSING.work,
      }),
    },
    async (request, reply) =>
      sendEnvelope(
        request,
        reply,
        await listCollectionsContaining(db, accountOf(request), parseWorkParams(request.params)),
      ),
  )
}

/** @param names of the operations */
function putAndDeleteRoutes(
  { app, db }: Pick<OwnCollections, 'app' | 'db'>,
  url: string,
  names: { put: string; remove: string },
) {
  app.put<Item>(
    url,
    {
      config: WRITE_COLLECTIONS,
      attachValidation: true,
      // No body says as little as an empty one.
      preValidation: (request, _reply, done) => {
        if (request.body === undefined) request.body = {}
        done()
      },
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: names.put,
        summary: 'Put a work into a collection, or change its note',
        description:
          "Without `note` the note there is stays; null or '' clears it. Any work may be kept, nsfw or not.",
        params: ITEM_PARAMS,
        body: ItemChange,
        success: { 200: Envelope(Ref(FavoritedItem)) },
        missing: { ...MISSING.collection, ...MISSING.work },
        faults: { ...FAULTS.note, ...FAULTS.full },
      }),
    },
    async (request, reply) => {
      const collection = { accountId: accountOf(request), key: parseCollectionKey(request.params) }
      const work = parseWorkParams(request.params)
      const { note } = readTexts(request, ItemChange)
      const item = await putItem(db, collection, work, note === null ? '' : note)
      return sendEnvelope(request, reply, { favorited: true, ...item } satisfies FavoritedItem)
    },
  )

  app.delete<Item>(
    url,
    {
      config: WRITE_COLLECTIONS,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: names.remove,
        summary: 'Take a work out of a collection; 204 also when it is not there',
        params: ITEM_PARAMS,
        ignoresBody: true,
        success: { 204: Type.Null() },
        missing: MISSING.collection,
      }),
    },
    async (request, reply) => {
      const collection = { accountId: accountOf(request), key: parseCollectionKey(request.params) }
      await deleteItem(db, collection, parseWorkParams(request.params))
      return sendNothing(request, reply)
    },
  )
}
