import { MEBIBYTE } from '../../../kernel/mebibyte.ts'
import { ApiError } from './errors.ts'
import type { Fault } from './fault.ts'
import { notFound, validationError } from './refusals.ts'

/** Refusals specific to one feature of the API, grouped by feature. Shared ones are in refusals.ts. */

// Change feed

export const outdatedPosition = () => new ApiError('COMMON_CONFLICT', { code: 'feed.outdated' })

/** @param limit number of requests of an app that may wait */
export const tooManyWaiting = (limit: number) =>
  new ApiError(
    'COMMON_RATE_LIMITED',
    { code: 'feed.waiting', params: { limit } },
    { retryable: true, headers: { 'retry-after': '5' } },
  )

// Ratings

export const noRating = () => notFound('missing.rating')

/** Creates the refusal for a change whose `If-Match` does not match (412). */
export const progressChanged = () =>
  new ApiError('COMMON_CONFLICT', { code: 'progress.changed' }, { status: 412 })

// List files

/** @param types accepted media types */
export const unsupportedFileType = (types: readonly string[]) =>
  new ApiError(
    'COMMON_BAD_REQUEST',
    { code: 'file.type', params: { types: types.join(', ') } },
    { status: 415 },
  )

/** @param limit in bytes, a whole number of MiB */
export const fileTooLarge = (limit: number) => tooLarge(limit, 'file.too_large')

/** @param limit in bytes, a whole number of MiB */
export const unpackedFileTooLarge = (limit: number) => tooLarge(limit, 'file.unpacked_too_large')

const tooLarge = (limit: number, code: 'file.too_large' | 'file.unpacked_too_large') =>
  new ApiError('COMMON_BAD_REQUEST', { code, params: { mib: limit / MEBIBYTE } }, { status: 413 })

/** Maximum length, in characters, of a parser message, which may quote the file. */
const MAX_MESSAGE_LENGTH = 180

/** Shortens the message of a parser error. */
export const shortMessage = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error))
    .slice(0, MAX_MESSAGE_LENGTH)
    .toWellFormed()

/** Creates the refusal for an unreadable file. */
export const fileFault = (code: Fault['code'], params: Fault['params'] = {}): ApiError =>
  validationError([{ field: 'body', kind: 'file', code, params }])

export const importUnderWay = () =>
  new ApiError('COMMON_CONFLICT', { code: 'import.under_way' }, { retryable: true })

/** Creates the refusal for an import during which the catalog changed. */
export const catalogChanged = (cause?: unknown) =>
  new ApiError('COMMON_CONFLICT', { code: 'import.catalog_changed' }, { retryable: true, cause })

/** Creates the refusal for a token that is still valid although its account was deleted. */
export const noSuchAccount = () => notFound('missing.account')

// Reviews

export const noReview = () => notFound('missing.review')
export const noVote = () => notFound('missing.vote')
export const ownReview = () => new ApiError('COMMON_CONFLICT', { code: 'review.own' })

// Collections

export const noSuchCollection = () => notFound('missing.collection')
export const notInCollection = () => notFound('missing.collection_item')

export const nothingToRestore = () => notFound('missing.deleted')

export const tooManyCollections = (limit: number) =>
  validationError([
    {
      field: 'collections',
      kind: 'maxItems',
      code: 'collections.too_many',
      params: { max: limit },
    },
  ])

export const collectionIsFull = (limit: number) =>
  validationError([
    { field: 'items', kind: 'maxItems', code: 'items.too_many', params: { max: limit } },
  ])

export const defaultStays = () => new ApiError('COMMON_CONFLICT', { code: 'collection.default' })

// Developer apps

export const noSuchApp = () => notFound('missing.app')

export const secretReplacedBefore = () =>
  new ApiError('COMMON_CONFLICT', { code: 'app.secret_replaced' })

export const hasNoSecret = () => new ApiError('COMMON_CONFLICT', { code: 'app.no_secret' })

export const appLimitExceeded = (limit: number) =>
  new ApiError(
    'DEVELOPER_APP_LIMIT_EXCEEDED',
    { code: 'app.too_many', params: { limit } },
    { details: { limit } },
  )
