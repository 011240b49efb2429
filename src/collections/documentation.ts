import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS } from '../catalog/kinds.ts'
import { documentOperation, type Operation } from '../http/document/operation.ts'
import { ApiError, notFound } from '../http/wire/errors.ts'
import { Id, StringEnum } from '../http/wire/schemas.ts'
import { validationError } from '../http/wire/validation.ts'
import { collectionIsFull, noSuchCollection, notInCollection, tooManyCollections } from './refusals.ts'

type Described = Omit<Operation, 'tag' | 'by' | 'scope'>

/** What an operation on the reader's own collections answers. */
export const documentReading = (operation: Described): FastifySchema =>
  documentOperation({ tag: 'Collections', by: 'user', scope: 'collection:read', ...operation })

/** The same for one that changes them. */
export const documentWriting = (operation: Described): FastifySchema =>
  documentOperation({ tag: 'Collections', by: 'user', scope: 'collection:write', ...operation })

const CollectionId = Type.Union([Id, Type.Literal('default')], {
  description: '`default` is the one every reader has',
})
const workParams = { kind: StringEnum(WORK_KINDS.map((kind) => KINDS[kind].path)), work_id: Id }

export const COLLECTION_PARAMS = Type.Object({ id: CollectionId })
export const WORK_PARAMS = Type.Object(workParams)
export const ITEM_PARAMS = Type.Object({ id: CollectionId, ...workParams })

/** What is said when what a path names is not there. */
export const MISSING = {
  address: { address: notFound() },
  collection: { collection: noSuchCollection() },
  work: {
    work: notFound(),
    merged: new ApiError('WIKI_RESOURCE_MERGED', 'This entry was merged into 42.', {
      details: { merged_into: 42 },
    }),
  },
  item: { item: notInCollection() },
}

/** What is said of parameters and bodies that are wrong. */
export const FAULTS = {
  page: { page: validationError([{ field: 'page', message: 'must be >= 1', code: 'minimum' }]) },
  workType: {
    workType: validationError([
      { field: 'work_type', message: `must be one of ${WORK_KINDS.join(', ')}`, code: 'enum' },
    ]),
  },
  fields: {
    fields: validationError([
      { field: 'name', message: 'must have 1 to 64 characters after trimming', code: 'rule' },
      { field: 'is_private', message: 'must be boolean', code: 'type' },
    ]),
  },
  note: {
    note: validationError([
      { field: 'note', message: 'must have at most 1000 characters, not 1001', code: 'rule' },
    ]),
  },
  tooMany: { tooMany: tooManyCollections() },
  full: { full: collectionIsFull() },
}
