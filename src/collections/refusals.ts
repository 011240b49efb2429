import { ApiError, notFound } from '../http/wire/errors.ts'
import { validationError } from '../http/wire/validation.ts'

/** Of one reader, the default one among them. */
export const MAX_COLLECTIONS = 200
/** In one collection; the database's rule (`collections_item_count_check`). */
const MAX_ITEMS = 10_000

export const noSuchCollection = () => notFound('You have no such collection.')

export const notInCollection = () => notFound('This work is not in the collection.')

export const tooManyCollections = () =>
  validationError([
    {
      field: 'collections',
      message: `must not be more than ${MAX_COLLECTIONS}; delete one first`,
      code: 'maxItems',
    },
  ])

export const collectionIsFull = () =>
  validationError([
    { field: 'items', message: `must not be more than ${MAX_ITEMS}; remove one first`, code: 'maxItems' },
  ])

export const defaultStays = () =>
  new ApiError(
    'COMMON_CONFLICT',
    'Every reader keeps the default collection. It can be renamed or made private.',
  )
