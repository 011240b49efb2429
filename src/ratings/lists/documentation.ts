import type { FastifySchema } from 'fastify'
import { Type } from 'typebox'
import { documentOperation } from '../../http/document/operation.ts'
import { ApiError } from '../../http/wire/errors.ts'
import { Envelope, errorResponse, Ref } from '../../http/wire/schemas.ts'
import { validationError } from '../../http/wire/validation.ts'
import { fileFault } from './file-fault.ts'
import { catalogChanged } from './import-queries.ts'
import { underWay } from './one-per-account.ts'
import { EXPORTED_RATINGS, exportedData, ExportQuery, ImportQuery, RatingImportReport } from './schemas.ts'
import { MAX_BYTES, MAX_UNPACKED, tooLarge } from './unpack.ts'

/** Types in which a file may come; what is in it is looked at all the same. */
export const FILE_TYPES = [
  'application/json',
  'application/xml',
  'text/xml',
  'application/gzip',
  'application/x-gzip',
]

/** The refusal of a body of another type. */
export const otherType = () =>
  new ApiError('COMMON_BAD_REQUEST', `Send the file as one of ${FILE_TYPES.join(', ')}.`, { status: 415 })

const wrongLength = new ApiError('COMMON_BAD_REQUEST', 'Request body size did not match Content-Length')

export const documentExport = (documented: boolean): FastifySchema => ({
  ...documentOperation({
    tag: 'Ratings',
    operationId: 'exportRatings',
    summary: 'All your records, private ones included, to take along',
    description:
      "As JSON, or as a table for a spreadsheet: in it, a text that would be taken for a formula begins with `'`. " +
      'The JSON can be imported again.',
    by: 'user',
    scope: 'status:read',
    success: {
      200: {
        description: 'All records, by work',
        headers: { 'Content-Disposition': { type: 'string', description: 'Of CSV: a name for the file' } },
        content: {
          'application/json': {
            schema: Envelope(exportedData(Type.Union(EXPORTED_RATINGS.map((one) => Ref(one))))),
          },
          'text/csv': { schema: { type: 'string' } },
        },
      },
    },
    faults: {
      format: validationError([{ field: 'format', message: 'must be one of json, csv', code: 'enum' }]),
    },
    documented,
  }),
  querystring: ExportQuery,
})

export const documentImport = (documented: boolean): FastifySchema => ({
  ...documentOperation({
    tag: 'Ratings',
    operationId: 'importRatings',
    summary: 'Take over a list from VNDB, Bangumi or MyAnimeList, or your own export',
    description:
      'Send the file as it was exported, packed with gzip or not. Nothing is stored unless `dry_run=false`; the report ' +
      'says row by row what becomes of it. Works are found by their ids at the sources. Everything goes in or nothing. ' +
      'Of your own export all comes back but ids, times and likes. Private notes of other services become no review, ' +
      'and a record that is private here is made public by no file but your own.',
    by: 'user',
    scope: 'status:write',
    success: { 200: Envelope(Ref(RatingImportReport)) },
    faults: {
      source: validationError([
        { field: 'source', message: 'must be one of vndb, bangumi, mal, mokuroku', code: 'enum' },
      ]),
      file: fileFault('line 3, column 12: unexpected close tag.'),
    },
    more: {
      400: errorResponse('What was sent cannot be read', { length: wrongLength }),
      409: errorResponse('Not now', { busy: underWay(), changed: catalogChanged() }),
      413: errorResponse('The file is too large', {
        sent: tooLarge(MAX_BYTES),
        unpacked: tooLarge(MAX_UNPACKED, ' when it is unpacked'),
      }),
      415: errorResponse('The file is of another type', { type: otherType() }),
    },
    documented,
  }),
  querystring: ImportQuery,
  body: {
    content: Object.fromEntries(
      FILE_TYPES.map((type) => [type, { schema: { description: 'The file as it was exported' } }]),
    ),
  },
})
