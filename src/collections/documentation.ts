import { Type } from 'typebox'
import { KINDS, WORK_KINDS } from '../catalog/kinds.ts'
import { WORK_TYPES } from '../catalog/work-types.ts'
import {
  collectionIsFull,
  noSuchCollection,
  nothingToRestore,
  notInCollection,
  tooManyCollections,
} from '../http/wire/errors/feature-refusals.ts'
import { merged, notFound, notOneOf, validationError } from '../http/wire/errors/refusals.ts'
import { Id, StringEnum } from '../http/wire/schemas.ts'
import { ITEM_SORTS, ITEM_TYPES, MAX_COLLECTIONS, MAX_ITEMS } from './schemas.ts'

export const COLLECTIONS_TAG = 'Collections'
export const READ_COLLECTIONS = {
  tag: COLLECTIONS_TAG,
  access: 'user',
  scope: 'collection:read',
} as const
export const WRITE_COLLECTIONS = { ...READ_COLLECTIONS, scope: 'collection:write' } as const

const CollectionId = Type.Union([Id, Type.Literal('default')], {
  description: '`default` is the collection that every user has',
})
const workParams = {
  kind: StringEnum(
    WORK_KINDS.map((kind) => KINDS[kind].path),
    { title: 'WorkPath' },
  ),
  work_id: Id,
}

export const COLLECTION_PARAMS = Type.Object({ id: CollectionId })
export const WORK_PARAMS = Type.Object(workParams)
export const ITEM_PARAMS = Type.Object({ id: CollectionId, ...workParams })

export const MISSING = {
  path: { notFound: notFound() },
  collection: { noSuchCollection: noSuchCollection() },
  work: { notFound: notFound(), merged: merged(42) },
  deleted: { nothingToRestore: nothingToRestore() },
  item: { notInCollection: notInCollection() },
}

export const FAULTS = {
  items: {
    badType: notOneOf('type', ITEM_TYPES),
    badWorkType: notOneOf('work_type', WORK_TYPES),
    badSort: notOneOf('sort', ITEM_SORTS),
  },
  fields: {
    badCollection: validationError([
      { field: 'name', code: 'collection_name.length', params: { max: 255 } },
      { field: 'is_private', kind: 'type', code: 'schema.type', params: { type: 'boolean' } },
    ]),
  },
  position: {
    badPosition: validationError([
      { field: 'position', kind: 'minimum', code: 'schema.minimum', params: { limit: 1 } },
    ]),
  },
  note: {
    badNote: validationError([
      { field: 'note', code: 'text.too_long', params: { max: 2_000, length: 2_001 } },
    ]),
  },
  tooMany: { tooManyCollections: tooManyCollections(MAX_COLLECTIONS) },
  full: { collectionIsFull: collectionIsFull(MAX_ITEMS) },
}
