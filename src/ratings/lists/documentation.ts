import { Type } from 'typebox'
import { documentedRoute } from '../../http/document/operation.ts'
import { errorResponse } from '../../http/document/responses.ts'
import {
  catalogChanged,
  fileFault,
  fileTooLarge,
  importUnderWay,
  unpackedFileTooLarge,
  unsupportedFileType,
} from '../../http/wire/errors/feature-refusals.ts'
import { notOneOf, wrongLength } from '../../http/wire/errors/refusals.ts'
import { DateTime, Envelope, Ref } from '../../http/wire/schemas.ts'
import { READ_RATINGS, WRITE_RATINGS } from '../own/documentation.ts'
import {
  EXPORTED_RATINGS,
  ExportQuery,
  FORMATS,
  ImportQuery,
  RatingImportReport,
  LIST_SOURCES,
} from './schemas.ts'
import { MAX_FILE_BYTES, MAX_DECOMPRESSED_BYTES } from './formats/decompress-file.ts'

/** Accepted content types. The format is detected from the content in any case. */
export const FILE_TYPES = [
  'application/json',
  'application/xml',
  'text/xml',
  'application/gzip',
  'application/x-gzip',
]

export const EXPORT_ROUTE = documentedRoute({
  ...READ_RATINGS,
  operationId: 'exportRatings',
  summary: 'All your records, private ones included, to take along',
  description:
    "As JSON, or as a table for a spreadsheet: in it, a text that would be taken for a formula begins with `'`. " +
    'The JSON can be imported again.',
  querystring: ExportQuery,
  success: {
    200: {
      description: 'All records, by work',
      headers: {
        'Content-Disposition': { type: 'string', description: 'For CSV: a name for the file' },
      },
      content: {
        'application/json': {
          schema: Envelope(
            Type.Object(
              {
                exported_at: DateTime,
                ratings: Type.Array(
                  Type.Unsafe(Type.Union(EXPORTED_RATINGS.map((one) => Ref(one)))),
                ),
              },
              { additionalProperties: false },
            ),
          ),
        },
        'text/csv': { schema: { type: 'string' } },
      },
    },
  },
  faults: { badFormat: notOneOf('format', FORMATS) },
})

export const IMPORT_ROUTE = documentedRoute({
  ...WRITE_RATINGS,
  operationId: 'importRatings',
  summary: 'Take over a list from VNDB, Bangumi or MyAnimeList, or your own export',
  description:
    'Send the file as it was exported, packed with gzip or not. Nothing is stored unless `dry_run=false`; the report ' +
    'says row by row what becomes of it. Works are found by their ids at the sources. Everything goes in or nothing. ' +
    'Your own export comes back whole, but for ids, times and likes. Private notes of other services do not become reviews, ' +
    'and a record that is private here is made public by no file but your own.',
  querystring: ImportQuery,
  body: {
    content: Object.fromEntries(
      FILE_TYPES.map((type) => [type, { schema: { description: 'The file as it was exported' } }]),
    ),
  },
  success: { 200: Envelope(Ref(RatingImportReport)) },
  faults: {
    badSource: notOneOf('source', LIST_SOURCES),
    badFile: fileFault('file.xml_syntax', {
      line: 3,
      column: 12,
      message: 'unexpected close tag.',
    }),
  },
  conflicts: { importUnderWay: importUnderWay(), catalogChanged: catalogChanged() },
  more: {
    400: errorResponse('The request cannot be read', { wrongLength: wrongLength() }),
    413: errorResponse('The file is too large', {
      fileTooLarge: fileTooLarge(MAX_FILE_BYTES),
      unpackedFileTooLarge: unpackedFileTooLarge(MAX_DECOMPRESSED_BYTES),
    }),
    415: errorResponse('The file is of another type', {
      unsupportedFileType: unsupportedFileType(FILE_TYPES),
    }),
  },
})
