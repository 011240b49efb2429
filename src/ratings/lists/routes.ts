import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '../../db/database.ts'
import { parseChosenWorks, withChosenWorks } from './imports/chosen-works.ts'
import { callerOf } from '../../http/admission/access.ts'
import { addSchemas } from '../../http/wire/requests/compilers.ts'
import {
  responseHeaders,
  sendEnvelope,
  withPictures,
} from '../../http/wire/errors/send-envelope.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { validatorCompiler } from '../../http/wire/requests/validation.ts'
import { EXPORT_ROUTE, FILE_TYPES, IMPORT_ROUTE } from './documentation.ts'
import { readList } from './export-queries.ts'
import { toCsv, toJson } from './export-text.ts'
import {
  fileFault,
  fileTooLarge,
  importUnderWay,
  unsupportedFileType,
} from '../../http/wire/errors/feature-refusals.ts'
import { importList } from './imports/import-list.ts'
import { rowValidator } from './imports/row-validator.ts'
import { toReport } from './imports/report.ts'
import {
  EXPORTED_PROGRESS,
  EXPORTED_RATINGS,
  RatingImportReport,
  type ExportQuery,
  type ImportQuery,
} from './schemas.ts'
import { mayUseNotes } from '../progress/note-access.ts'
import { omitNotes } from './formats/list-row.ts'
import { MAX_FILE_BYTES, readListFile } from './formats/read-list-file.ts'
import { importQueue, type ImportQueue } from './imports/import-queue.ts'

/** Registers the routes that export a user's ratings, and import lists of this and other services. */
export async function listFiles(
  app: FastifyInstance,
  { db, imports }: { db: Database; imports: ImportQueue },
) {
  addSchemas(app, [...EXPORTED_RATINGS, ...EXPORTED_PROGRESS, RatingImportReport])
  const compile = validatorCompiler()
  // The bodies are files, which `readListFile` validates.
  app.setValidatorCompiler((part) => (part.httpPart === 'body' ? () => true : compile(part)))
  acceptFiles(app)
  const validateRow = rowValidator()
  const runAlone = onePerAccount()
  const plans = importQueue()

  app.get<{ Querystring: ExportQuery }>('/rates/export', EXPORT_ROUTE, (request, reply) => {
    const exportedAt = new Date()
    const list = readList(db, { accountId: accountOf(request), hasNotes: mayUseNotes(request) })
    if (request.query.format !== 'csv') {
      const options = {
        exportedAt,
        requestId: request.id,
        withPictures: (json: string) => withPictures(request, json),
      }
      return sendText(request, reply, 'application/json', toJson(list, options))
    }
    const name = `mokuroku-ratings-${exportedAt.toISOString().slice(0, 10)}.csv`
    void reply.header('content-disposition', `attachment; filename="${name}"`)
    return sendText(request, reply, 'text/csv', toCsv(list))
  })

  app.post<{ Querystring: ImportQuery; Body: Buffer | null | undefined }>(
    '/rates/import',
    { ...IMPORT_ROUTE, bodyLimit: MAX_FILE_BYTES },
    async (request, reply) => {
      const { source, dry_run = true, overwrite = false, match } = request.query
      const accountId = accountOf(request)
      const { clientId } = callerOf(request)
      const { body } = request
      if (!body?.length) throw fileFault('file.empty')
      const run = async () => {
        const read = await readListFile(source, body)
        const file = mayUseNotes(request) ? read : omitNotes(read)
        const options = { accountId, clientId, dryRun: dry_run, overwrite, validateRow, imports }
        const rows = await importList(
          db,
          withChosenWorks(file.rows, parseChosenWorks(match)),
          options,
        )
        return toReport(file, rows, { source, dry_run, overwrite })
      }
      // Dry runs have a separate queue, so that they do not delay imports that write.
      const report = await runAlone(accountId, () =>
        dry_run ? plans.enqueue(accountId, run) : run(),
      )
      return sendEnvelope(request, reply, report)
    },
  )
}

/**
 * Runs one task at a time per account, so that no user occupies all connections to the database.
 *
 * @returns a function that runs a task, or throws {ApiError} `COMMON_CONFLICT` while another task is running in this
 * process
 */
function onePerAccount() {
  const busy = new Set<number>()
  return async <Result>(accountId: number, work: () => Promise<Result>): Promise<Result> => {
    if (busy.has(accountId)) throw importUnderWay()
    busy.add(accountId)
    try {
      return await work()
    } finally {
      busy.delete(accountId)
    }
  }
}

/** Accepts files as bodies, and replaces Fastify's errors about these bodies with those of the API. */
function acceptFiles(app: FastifyInstance) {
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

/** Streams text as fast as the client reads it. */
function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  type: string,
  text: AsyncIterable<string>,
) {
  return reply
    .headers({ ...responseHeaders(request), 'cache-control': 'no-store' })
    .type(`${type}; charset=utf-8`)
    .send(Readable.from(text, { objectMode: false }))
}
