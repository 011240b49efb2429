import { MEBIBYTE } from '../../kernel/mebibyte.ts'
import { ApiError } from './errors.ts'
import { notFound, validationError } from './refusals.ts'

/** What one feature of the API alone refuses, by feature; the rest is in refusals.ts. */

// Ratings

export const noRating = () => notFound('You have no record of this work.')

// Lists as files

/** @param types of media the file may be of */
export const unsupportedFileType = (types: readonly string[]) =>
  new ApiError('COMMON_BAD_REQUEST', `Send the file as one of ${types.join(', ')}.`, { status: 415 })

/** @param limit in bytes, a whole number of MiB */
export const fileTooLarge = (limit: number) => tooLarge(limit, '')

/** @param limit in bytes, a whole number of MiB */
export const unpackedFileTooLarge = (limit: number) => tooLarge(limit, ' when it is unpacked')

const tooLarge = (limit: number, when: string) =>
  new ApiError('COMMON_BAD_REQUEST', `The file is larger than ${limit / MEBIBYTE} MiB${when}.`, {
    status: 413,
  })

/** Characters of a message of a parser, which may repeat what the file says. */
const MAX_MESSAGE = 200

/** A file that cannot be read: what is wrong with it and where. */
export const fileFault = (message: string): ApiError =>
  validationError([{ field: 'body', message: message.slice(0, MAX_MESSAGE).toWellFormed(), code: 'file' }])

export const importUnderWay = () =>
  new ApiError('COMMON_CONFLICT', 'An import of yours is still under way. Wait for its answer.', {
    retryable: true,
  })

/** An import met a change of the catalog. */
export const catalogChanged = (cause?: unknown) =>
  new ApiError(
    'COMMON_CONFLICT',
    'The catalog changed while the file was imported, and nothing was stored. Send it again.',
    { retryable: true, cause },
  )

/** The account went away while its token was on its way. */
export const noSuchAccount = () => notFound('There is no such account.')

// Reviews

export const noReview = () => notFound('There is no such review.')
export const noVote = () => notFound('You have not voted on this review.')
export const ownReview = () =>
  new ApiError('COMMON_CONFLICT', 'This review is your own. Readers vote on those of others.')

// Collections

export const noSuchCollection = () => notFound('You have no such collection.')
export const notInCollection = () => notFound('This work is not in the collection.')

export const nothingToRestore = () =>
  notFound('Nothing of that kind was deleted lately. What is deleted can be brought back for ten minutes.')

export const tooManyCollections = (limit: number) =>
  validationError([
    { field: 'collections', message: `must not be more than ${limit}; delete one first`, code: 'maxItems' },
  ])

export const collectionIsFull = (limit: number) =>
  validationError([
    { field: 'items', message: `must not be more than ${limit}; remove one first`, code: 'maxItems' },
  ])

export const defaultStays = () =>
  new ApiError(
    'COMMON_CONFLICT',
    'Every reader keeps the default collection. It can be renamed or made private.',
  )

// Developer apps

export const noSuchApp = () => notFound('You have no such app.')

/** A public app cannot have a secret. */
export const secretReplacedBefore = () =>
  new ApiError('COMMON_CONFLICT', 'The secret has been replaced in the meantime. Nothing was changed.')

export const hasNoSecret = () =>
  new ApiError(
    'COMMON_CONFLICT',
    'A public app has no secret. Make it confidential first: {"client_type": "confidential"}.',
  )

export const appLimitExceeded = (limit: number) =>
  new ApiError('DEVELOPER_APP_LIMIT_EXCEEDED', `You have ${limit} apps already. Delete one first.`, {
    details: { limit },
  })
