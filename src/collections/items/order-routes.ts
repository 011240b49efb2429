import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { sendEnvelope } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { operation } from '../../http/document/operation.ts'
import { errorResponse } from '../../http/document/responses.ts'
import { restoreItem } from '../deletion-queries.ts'
import {
  COLLECTIONS_TAG,
  FAULTS,
  ITEM_PARAMS,
  MISSING,
  WRITE_COLLECTIONS,
} from '../documentation.ts'
import { requireItem } from './item-queries.ts'
import { moveItem } from './move-item-queries.ts'
import type { OwnCollections } from '../routes.ts'
import { CollectionItem, ItemPosition } from '../schemas.ts'
import { parseCollectionKey, parseWorkParams } from '../path-params.ts'

type Item = { Params: { id: string; kind: string; work_id: string } }

/** The order of a collection by hand, and works that come back into it. */
export function orderRoutes({ app, db }: OwnCollections) {
  const one = '/collections/:id/items/:kind/:work_id'

  app.put<Item & { Body: ItemPosition }>(
    `${one}/position`,
    {
      config: WRITE_COLLECTIONS,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'moveCollectionItem',
        summary: 'Move a work to a place in its collection',
        description:
          'The works in between move by one. Until the first move a collection has the last added first; what is added after that comes last.',
        params: ITEM_PARAMS,
        body: ItemPosition,
        success: { 200: Envelope(ItemPosition) },
        missing: { ...MISSING.collection, ...MISSING.item, ...MISSING.work },
        faults: FAULTS.position,
      }),
    },
    async (request, reply) => {
      const collection = { accountId: accountOf(request), key: parseCollectionKey(request.params) }
      const position = await moveItem(
        db,
        collection,
        parseWorkParams(request.params),
        request.body.position,
      )
      return sendEnvelope(request, reply, { position } satisfies ItemPosition)
    },
  )

  app.post<Item>(
    `${one}/restore`,
    {
      config: WRITE_COLLECTIONS,
      schema: operation({
        ...WRITE_COLLECTIONS,
        tag: COLLECTIONS_TAG,
        operationId: 'restoreCollectionItem',
        summary: 'Bring back a work that was taken out in the last ten minutes, with its note',
        params: ITEM_PARAMS,
        ignoresBody: true,
        success: { 200: Envelope(Ref(CollectionItem)) },
        missing: { ...MISSING.collection, ...MISSING.deleted },
        more: { 422: errorResponse('There are too many already', FAULTS.full) },
      }),
    },
    async (request, reply) => {
      const collection = { accountId: accountOf(request), key: parseCollectionKey(request.params) }
      const work = parseWorkParams(request.params)
      await restoreItem(db, collection, work)
      return sendEnvelope(request, reply, await requireItem(db, collection, work))
    },
  )
}
