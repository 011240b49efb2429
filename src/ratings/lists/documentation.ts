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
import { Closed, DateTime, Envelope, Ref } from '../../http/wire/schemas.ts'
import { NOTES_SCOPE } from '../progress/note-access.ts'
import { READ_RATINGS, WRITE_RATINGS } from '../own/documentation.ts'
import {
  EXPORTED_PROGRESS,
  EXPORTED_RATINGS,
  ExportQuery,
  FORMATS,
  ImportQuery,
  RatingImportReport,
  LIST_SOURCES,
} from './schemas.ts'
import { MAX_DECOMPRESSED_BYTES, MAX_FILE_BYTES } from './formats/read-list-file.ts'

/** Accepted content types. The format is always detected from the content. */
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
  summary: 'Export all your ratings, including private ones',
  description:
    'As JSON, which can be imported again, or as a CSV table for spreadsheets. ' +
    "In CSV, text that a spreadsheet would execute as a formula gets the prefix `'`. " +
    `Private notes require the scope \`${NOTES_SCOPE}\`.`,
  querystring: ExportQuery,
  success: {
    200: {
      description: 'All ratings, by work',
      headers: { 'Content-Disposition': { type: 'string', description: 'File name, for CSV' } },
      content: {
        'application/json': {
          schema: Envelope(
            Closed({
              exported_at: DateTime,
              ratings: Type.Array(
                Type.Unsafe(Type.Union(EXPORTED_RATINGS.map((item) => Ref(item)))),
              ),
              progress: Type.Array(
                Type.Unsafe(Type.Union(EXPORTED_PROGRESS.map((item) => Ref(item)))),
                { description: 'Progress in works that you have not rated' },
              ),
            }),
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
  summary: 'Import a list from VNDB, Bangumi or MyAnimeList, or your own export',
  description:
    'Send the exported file, compressed with gzip or not. Nothing is stored unless `dry_run=false`. The response reports ' +
    'the outcome of every row. Works are matched by their ids at the sources. The import is atomic. An export of this ' +
    'service restores everything except ids, times and likes. Dates, volumes, labels and notes become your progress, which ' +
    'only you see. Progress that you have not recorded is filled in even without `overwrite`. Only an export of this service ' +
    'can make a private rating public.',
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
