import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { parseChosenWorks, withChosenWorks } from './imports/chosen-works.ts'
import { callerOf } from '../../http/admission/access.ts'
import { addSchemas } from '../../http/wire/requests/compilers.ts'
import { answerHeaders, sendEnvelope, withPictures } from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { validatorCompiler } from '../../http/wire/requests/validation.ts'
import { READ_RATINGS, WRITE_RATINGS } from '../own/documentation.ts'
import { EXPORT_SCHEMA, FILE_TYPES, IMPORT_SCHEMA } from './documentation.ts'
import { readAllRatings } from './export-queries.ts'
import { toCsv, toJson } from './export-text.ts'
import {
  fileFault,
  fileTooLarge,
  unsupportedFileType,
} from '../../http/wire/errors/feature-refusals.ts'
import { importList } from './imports/import-list.ts'
import { rowValidator } from './imports/row-validator.ts'
import { onePerAccount } from './imports/one-per-account.ts'
import { toReport } from './imports/report.ts'
import {
  EXPORTED_RATINGS,
  RatingImportReport,
  type ExportQuery,
  type ImportQuery,
} from './schemas.ts'
import { readListFile } from './formats/read-list-file.ts'
import { MAX_FILE_BYTES } from './formats/decompress-file.ts'
import { importQueue, type ImportQueue } from './imports/import-queue.ts'

export type ListFileOptions = { db: Database; imports: ImportQueue }

/** A reader's whole list as a file: out of here, and in from here and elsewhere. */
export async function listFiles(app: FastifyInstance, { db, imports }: ListFileOptions) {
  addSchemas(app, [...EXPORTED_RATINGS, RatingImportReport])
  const compile = validatorCompiler()
  // A file is validated by its reader.
  app.setValidatorCompiler((part) => (part.httpPart === 'body' ? () => true : compile(part)))
  takeFiles(app)
  const validateRow = rowValidator()
  const runAlone = onePerAccount()
  const plans = importQueue()

  app.get<{ Querystring: ExportQuery }>(
    '/rates/export',
    { config: READ_RATINGS, schema: EXPORT_SCHEMA },
    (request, reply) => {
      const exportedAt = new Date()
      const batches = readAllRatings(db, accountOf(request))
      if (request.query.format !== 'csv') {
        const options = {
          exportedAt,
          requestId: request.id,
          withPictures: (json: string) => withPictures(request, json),
        }
        return sendText(request, reply, 'application/json', toJson(batches, options))
      }
      const name = `mokuroku-ratings-${exportedAt.toISOString().slice(0, 10)}.csv`
      void reply.header('content-disposition', `attachment; filename="${name}"`)
      return sendText(request, reply, 'text/csv', toCsv(batches))
    },
  )

  app.post<{ Querystring: ImportQuery; Body: Buffer | null | undefined }>(
    '/rates/import',
    { config: WRITE_RATINGS, bodyLimit: MAX_FILE_BYTES, schema: IMPORT_SCHEMA },
    async (request, reply) => {
      const { source, dry_run = true, overwrite = false, match } = request.query
      const accountId = accountOf(request)
      const { clientId } = callerOf(request)
      const { body } = request
      if (!body?.length) throw fileFault('file.empty')
      const run = async () => {
        const file = await readListFile(source, body)
        const options = { accountId, clientId, dryRun: dry_run, overwrite, validateRow, imports }
        const rows = await importList(
          db,
          withChosenWorks(file.rows, parseChosenWorks(match)),
          options,
        )
        return toReport(file, rows, { source, dry_run, overwrite })
      }
      // Imports that write have a separate queue.
      const report = await runAlone(accountId, () =>
        dry_run ? plans.enqueue(accountId, run) : run(),
      )
      return sendEnvelope(request, reply, report)
    },
  )
}

/** Bodies are files here, and what Fastify refuses of them is refused with messages of our own. */
function takeFiles(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(FILE_TYPES, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.setErrorHandler((error) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') throw fileTooLarge(MAX_FILE_BYTES)
    if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw unsupportedFileType(FILE_TYPES)
    throw error
  })
}

/** Sends a text piece by piece, as fast as it is taken. */
function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  text: AsyncIterable<string>,
) {
  return reply
    .headers({ ...answerHeaders(request), 'cache-control': 'no-store' })
    .type(`${type}; charset=utf-8`)
    .send(Readable.from(text, { objectMode: false }))
}
