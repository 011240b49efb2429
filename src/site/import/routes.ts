import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { fileTooLarge } from '../../http/wire/errors/feature-refusals.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, parameterOf } from '../../ui/forms/form-field.ts'
import { MAX_CHOSEN } from '../../ratings/lists/imports/chosen-works.ts'
import {
  saveChosenWork,
  findStoredImport,
  deleteStoredImport,
  saveUploadedList,
  type StoredImport,
} from '../../ratings/lists/imports/stored-import-queries.ts'
import { importQueue } from '../../ratings/lists/imports/import-queue.ts'
import { ROW_OUTCOMES } from '../../ratings/lists/imports/outcome.ts'
import { countRowOutcomes } from '../../ratings/lists/imports/report.ts'
import type { ListFile } from '../../ratings/lists/formats/list-row.ts'
import { rowValidator, type ValidateRow } from '../../ratings/lists/imports/row-validator.ts'
import { LIST_SOURCES } from '../../ratings/lists/schemas.ts'
import {
  ImportGoneError,
  compressFile,
  planStoredImport,
  runStoredImport,
  undoStoredImport,
} from '../../ratings/lists/imports/stored-import.ts'
import { MAX_FILE_BYTES } from '../../ratings/lists/formats/decompress-file.ts'
import { acceptUploadForms, readUpload } from '../../uploads/read-upload.ts'
import { admitReaders } from '../admit-readers.ts'
import { refuseDuringImport } from '../library/during-import.ts'
import { PAGE, type WebOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { changesView, CHANGES_OF_PAGE } from './changes-view.ts'
import { doneView } from './done-view.ts'
import { findFileFault } from './file-fault.ts'
import { findOffers, findWorks, sortRows, type SortedRows } from './import-rows.ts'
import { startView, type StartData } from './start-view.ts'
import { IMPORT_PATH, stepAddress } from './steps.ts'
import { ROWS_OF_PAGE, worksView } from './works-view.ts'

/** Around the file: the other fields, and what stands between them. */
const AROUND_FILE = 64 * 1024

type OfImport = { Params: { id: string } }

/**
 * Takes a list over in four steps, around the dry run of the API. What is between them is a row of the reader's: every step
 * can be come back to, in another browser and after a restart, for an hour.
 */
export async function importRoutes(app: FastifyInstance, options: WebOptions) {
  const { db, imports } = options
  const accountOf = admitReaders(app, db, IMPORT_PATH)
  // Plans read a whole file: few at once, and of one reader one after the other.
  const plans = importQueue()
  /** People page through the second step. The rows of a file are cached for a minute only, because the catalog changes. */
  const recent = new LRUCache<
    string,
    Promise<{ sorted: SortedRows; remarks: ListFile['remarks'] }>
  >({ max: 4, ttl: 60_000 })
  let compiled: ValidateRow | undefined
  const validateRow: ValidateRow = (...row) => (compiled ??= rowValidator())(...row)
  const plan = (accountId: number, held: StoredImport, overwrite: boolean) =>
    plans.enqueue(accountId, () =>
      planStoredImport(db, held, { accountId, overwrite, validateRow, imports }),
    )

  await app.register(async (scope) => {
    acceptUploadForms(scope, {
      maxBytes: MAX_FILE_BYTES + AROUND_FILE,
      tooLarge: () => fileTooLarge(MAX_FILE_BYTES),
    })
    const { errorHandler } = scope
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof ApiError) || error.status !== 413)
        return errorHandler.call(scope, error as FastifyError, request, reply) // as: which any error may be
      const text = request.page.messages.importPage.faults.tooLarge
      return showStart(request, reply, { fault: { status: 413, text } })
    })
    scope.post(IMPORT_PATH, PAGE, async (request, reply) => {
      const accountId = accountOf(request)
      const { importPage: words } = request.page.messages
      if (imports.isBusy(accountId)) throw new PageError(409, words.running, words.runningText)
      const source = LIST_SOURCES.find((name) => name === fieldOf(request, 'source'))
      const file = hasFile(request) ? readUpload(request, 'file') : undefined
      const refuse = (text: string) =>
        showStart(request, reply, { source, fault: { status: 422, text } })
      if (!source) return refuse(words.chooseSource)
      if (!file) return refuse(words.chooseFile)
      const fault = await plans.enqueue(accountId, () => findFileFault(source, file, request.page))
      if (fault) return showStart(request, reply, { source, fault })
      const id = randomUUID()
      await saveUploadedList(db, accountId, { id, source, file: await compressFile(file) })
      return reply.redirect(stepAddress(id, 'works'), 303)
    })
  })

  await app.register(async (scope) => {
    refuseDuringImport(scope, { imports: { ...imports, isBusy: () => false }, accountOf })
    scope.get(IMPORT_PATH, PAGE, (request, reply) => showStart(request, reply, {}))
    stepRoutes(scope)
  })

  function stepRoutes(scope: FastifyInstance) {
    scope.get<OfImport>('/library/import/:id/works', PAGE, async (request, reply) => {
      const held = await heldOf(request)
      return held?.file ? showWorks(request, reply, held) : leadOn(request, reply, held)
    })

    scope.post<OfImport>('/library/import/:id/works', PAGE, async (request, reply) => {
      const held = await heldOf(request)
      if (!held?.file) return leadOn(request, reply, held)
      const { importPage: words } = request.page.messages
      const row = Number(fieldOf(request, 'row'))
      const work = fieldOf(request, 'work')
      const workId = work === '' ? undefined : work === 'none' ? null : Number(work)
      const isNumber = (value: number) => Number.isSafeInteger(value) && value > 0
      if (!isNumber(row) || (typeof workId === 'number' && !isNumber(workId)))
        return showWorks(request, reply, held, words.noSuchWork)
      const isOneMore = workId !== undefined && !Object.hasOwn(held.chosen, String(row))
      if (isOneMore && Object.keys(held.chosen).length >= MAX_CHOSEN)
        return showWorks(request, reply, held, words.tooManyChosen)
      if (typeof workId === 'number' && !(await canBe(request, held, row, workId)))
        return showWorks(request, reply, held, words.noSuchWork)
      await saveChosenWork(db, accountOf(request), held.id, { row, workId })
      const page = Number(fieldOf(request, 'page'))
      return reply.redirect(
        `${stepAddress(held.id, 'works')}${isNumber(page) && page > 1 ? `?page=${page}` : ''}#unmatched`,
        303,
      )
    })

    scope.get<OfImport>('/library/import/:id/changes', PAGE, async (request, reply) => {
      const held = await heldOf(request)
      if (!held?.file) return leadOn(request, reply, held)
      const overwrite = parameterOf(request, 'take') === 'theirs'
      const { reports } = await plan(accountOf(request), held, overwrite)
      const counts = countRowOutcomes(reports)
      const wanted = ROW_OUTCOMES.find((outcome) => outcome === parameterOf(request, 'show'))
      const outcome =
        wanted ?? ROW_OUTCOMES.find((one) => (counts[one.toLowerCase()] ?? 0) > 0) ?? 'CREATED'
      const page = readPageNumber(request)
      const shown = reports
        .filter((report) => report.outcome === outcome)
        .slice((page - 1) * CHANGES_OF_PAGE, page * CHANGES_OF_PAGE)
      const works = await findWorks(db, shown)
      const data = { id: held.id, overwrite, outcome, counts, page, reports: shown, works }
      return sendCatalogPage(request, reply, changesView(request.page, data))
    })

    scope.post<OfImport>('/library/import/:id/take-over', PAGE, async (request, reply) => {
      const held = await heldOf(request)
      if (!held) return showGone(request, reply)
      const accountId = accountOf(request)
      const overwrite = fieldOf(request, 'take') === 'theirs'
      return orGone(request, reply, held.id, () =>
        runStoredImport(db, held, { accountId, overwrite, validateRow, imports }),
      )
    })

    scope.get<OfImport>('/library/import/:id/done', PAGE, async (request, reply) => {
      const held = await heldOf(request)
      if (!held?.counts) return leadOn(request, reply, held)
      return sendCatalogPage(request, reply, doneView(request.page, held))
    })

    scope.post<OfImport>('/library/import/:id/undo', PAGE, async (request, reply) => {
      const accountId = accountOf(request)
      const { id } = request.params
      return orGone(request, reply, id, () => undoStoredImport(db, id, { accountId, imports }))
    })

    scope.post<OfImport>('/library/import/:id/forget', PAGE, async (request, reply) => {
      await deleteStoredImport(db, accountOf(request), request.params.id)
      return reply.redirect(IMPORT_PATH, 303)
    })
  }

  const heldOf = (request: FastifyRequest<OfImport>) =>
    findStoredImport(db, accountOf(request), request.params.id)

  /** To the step that an import is at. */
  const leadOn = (request: FastifyRequest, reply: FastifyReply, held: StoredImport | undefined) =>
    held
      ? reply.redirect(stepAddress(held.id, held.counts ? 'done' : 'works'), 303)
      : showGone(request, reply)

  const showGone = (request: FastifyRequest, reply: FastifyReply) =>
    showStart(request, reply, { notice: request.page.messages.importPage.gone, status: 404 })

  async function orGone(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    work: () => Promise<unknown>,
  ): Promise<FastifyReply> {
    try {
      await work()
    } catch (error) {
      if (error instanceof ImportGoneError) return showGone(request, reply)
      throw error
    }
    return reply.redirect(stepAddress(id, 'done'), 303)
  }

  async function showStart(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, ...data }: StartData & { status?: number },
  ): Promise<FastifyReply> {
    const held = await findStoredImport(db, accountOf(request))
    const view = startView(request.page, { ...data, begun: held?.file ? held : undefined })
    return sendCatalogPage(request, reply, view, { status: status ?? data.fault?.status ?? 200 })
  }

  function sortedRowsOf(request: FastifyRequest, held: StoredImport) {
    const key = JSON.stringify([held.id, held.chosen])
    const known = recent.get(key)
    if (known) return known
    const made = plan(accountOf(request), held, false).then((planned) => ({
      sorted: sortRows(planned, held),
      remarks: planned.file.remarks,
    }))
    recent.set(key, made)
    made.catch(() => recent.delete(key))
    return made
  }

  /** Whether a work is one that a row can be of. */
  async function canBe(request: FastifyRequest, held: StoredImport, row: number, workId: number) {
    const chosen = { ...held.chosen, [row]: workId }
    const { reports } = await plan(accountOf(request), { ...held, chosen }, false)
    const report = reports[row - 1]
    // That another line is of the same work is said in the next step.
    return report?.work_id === workId
  }

  async function showWorks(
    request: FastifyRequest,
    reply: FastifyReply,
    held: StoredImport,
    fault?: string,
  ) {
    const { sorted, remarks } = await sortedRowsOf(request, held)
    const last = Math.max(1, Math.ceil(sorted.unmatched.length / ROWS_OF_PAGE))
    const page = Math.min(request.method === 'GET' ? readPageNumber(request) : 1, last)
    const row = Number(parameterOf(request, 'row'))
    const asked =
      parameterOf(request, 'q') === '' ? undefined : { row, q: parameterOf(request, 'q') }
    const seesNsfw = request.page.reader?.nsfw ?? false
    const rows = sorted.unmatched.slice((page - 1) * ROWS_OF_PAGE, page * ROWS_OF_PAGE)
    const [offers, works] = await Promise.all([
      findOffers(
        options,
        rows.map(({ report, kinds }) => ({
          row: report.row,
          q: asked?.row === report.row ? asked.q : report.title,
          kinds,
        })),
        seesNsfw,
      ),
      findWorks(db, sorted.chosen),
    ])
    const data = { id: held.id, sorted, page, offers, asked, works, remarks, fault }
    return sendCatalogPage(request, reply, worksView(request.page, data), {
      status: fault === undefined ? 200 : 422,
    })
  }
}

/** Of an empty file it is said that it is empty. */
const hasFile = ({ body }: FastifyRequest) =>
  typeof body === 'object' && body !== null && 'file' in body
