import { randomUUID } from 'node:crypto'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../../http/wire/errors/errors.ts'
import { fileTooLarge } from '../../http/wire/errors/feature-refusals.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
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
import { MAX_FILE_BYTES } from '../../ratings/lists/formats/read-list-file.ts'
import { acceptUploadForms, readUpload } from '../../uploads/read-upload.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { rejectDuringImport } from '../library/during-import.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { changesView, CHANGES_PER_PAGE } from './changes-view.ts'
import { doneView } from './done-view.ts'
import { findFileFault } from './file-fault.ts'
import { findOffers, findWorks, sortRows, type SortedRows } from './import-rows.ts'
import { startView, type StartData } from './start-view.ts'
import { IMPORT_PATH, stepPath } from './steps.ts'
import { ROWS_PER_PAGE, worksView } from './works-view.ts'

/** Maximum bytes of the other form fields and of the multipart boundaries. */
const FORM_OVERHEAD_BYTES = 64 * 1024

type OfImport = { Params: { id: string } }

/**
 * Serves the import of a list in four steps, based on the dry run of the API. The state is stored with the account.
 * For an hour every step can be resumed, even in another browser and after a restart.
 */
export async function importRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db, imports } = options
  const accountOf = requireSignIn(app, db, IMPORT_PATH)
  // A plan holds a whole file in memory. Few plans are computed at once, and only one per user.
  const planQueue = importQueue()
  /**
   * Users page through the second step. The rows of a file are cached for a minute only, because the catalog changes.
   */
  const sortedRows = new LRUCache<
    string,
    Promise<{ sorted: SortedRows; remarks: ListFile['remarks'] }>
  >({ max: 4, ttl: 60_000 })
  let compiled: ValidateRow | undefined
  const validateRow: ValidateRow = (...row) => (compiled ??= rowValidator())(...row)
  const plan = (accountId: number, stored: StoredImport, overwrite: boolean) =>
    planQueue.enqueue(accountId, () =>
      planStoredImport(db, stored, { accountId, overwrite, validateRow, imports }),
    )

  await app.register(async (scope) => {
    acceptUploadForms(scope, {
      maxBytes: MAX_FILE_BYTES + FORM_OVERHEAD_BYTES,
      tooLarge: () => fileTooLarge(MAX_FILE_BYTES),
    })
    const { errorHandler } = scope
    scope.setErrorHandler((error, request, reply) => {
      if (!(error instanceof ApiError) || error.status !== 413)
        return errorHandler.call(scope, error as FastifyError, request, reply) // as: the type of any error that a handler receives
      const text = request.page.messages.importPage.faults.tooLarge
      return showStart(request, reply, { fault: { status: 413, text } })
    })
    scope.post(IMPORT_PATH, PAGE, async (request, reply) => {
      const accountId = accountOf(request)
      const { importPage: texts } = request.page.messages
      if (imports.isBusy(accountId)) throw new PageError(409, texts.running, texts.runningText)
      const source = LIST_SOURCES.find((name) => name === fieldOf(request, 'source'))
      const file = hasFile(request) ? readUpload(request, 'file') : undefined
      const refuse = (text: string) =>
        showStart(request, reply, { source, fault: { status: 422, text } })
      if (!source) return refuse(texts.chooseSource)
      if (!file) return refuse(texts.chooseFile)
      const fault = await planQueue.enqueue(accountId, () =>
        findFileFault(source, file, request.page),
      )
      if (fault) return showStart(request, reply, { source, fault })
      const id = randomUUID()
      await saveUploadedList(db, accountId, { id, source, file: await compressFile(file) })
      return reply.redirect(stepPath(id, 'works'), 303)
    })
  })

  await app.register(async (scope) => {
    rejectDuringImport(scope, { imports: { ...imports, isBusy: () => false }, accountOf })
    scope.get(IMPORT_PATH, PAGE, (request, reply) => showStart(request, reply, {}))
    stepRoutes(scope)
  })

  function stepRoutes(scope: FastifyInstance) {
    scope.get<OfImport>('/library/import/:id/works', PAGE, async (request, reply) => {
      const stored = await findImport(request)
      return stored?.file
        ? showWorks(request, reply, stored)
        : redirectToCurrentStep(request, reply, stored)
    })

    scope.post<OfImport>('/library/import/:id/works', PAGE, async (request, reply) => {
      const stored = await findImport(request)
      if (!stored?.file) return redirectToCurrentStep(request, reply, stored)
      const { importPage: texts } = request.page.messages
      const row = Number(fieldOf(request, 'row'))
      const work = fieldOf(request, 'work')
      const workId = work === '' ? undefined : work === 'none' ? null : Number(work)
      const isNumber = (value: number) => Number.isSafeInteger(value) && value > 0
      if (!isNumber(row) || (typeof workId === 'number' && !isNumber(workId)))
        return showWorks(request, reply, stored, texts.noSuchWork)
      const isNewChoice = workId !== undefined && !Object.hasOwn(stored.chosen, String(row))
      if (isNewChoice && Object.keys(stored.chosen).length >= MAX_CHOSEN)
        return showWorks(request, reply, stored, texts.tooManyChosen)
      if (typeof workId === 'number' && !(await matchesRow(request, stored, row, workId)))
        return showWorks(request, reply, stored, texts.noSuchWork)
      await saveChosenWork(db, accountOf(request), stored.id, { row, workId })
      const page = Number(fieldOf(request, 'page'))
      return reply.redirect(
        `${stepPath(stored.id, 'works')}${isNumber(page) && page > 1 ? `?page=${page}` : ''}#unmatched`,
        303,
      )
    })

    scope.get<OfImport>('/library/import/:id/changes', PAGE, async (request, reply) => {
      const stored = await findImport(request)
      if (!stored?.file) return redirectToCurrentStep(request, reply, stored)
      const overwrite = queryParameterOf(request, 'take') === 'theirs'
      const { reports } = await plan(accountOf(request), stored, overwrite)
      const counts = countRowOutcomes(reports)
      const requested = ROW_OUTCOMES.find(
        (outcome) => outcome === queryParameterOf(request, 'show'),
      )
      const outcome =
        requested ?? ROW_OUTCOMES.find((item) => (counts[item.toLowerCase()] ?? 0) > 0) ?? 'CREATED'
      const page = readPageNumber(request)
      const shown = reports
        .filter((report) => report.outcome === outcome)
        .slice((page - 1) * CHANGES_PER_PAGE, page * CHANGES_PER_PAGE)
      const works = await findWorks(db, shown)
      const data = { id: stored.id, overwrite, outcome, counts, page, reports: shown, works }
      return sendCatalogPage(request, reply, changesView(request.page, data))
    })

    scope.post<OfImport>('/library/import/:id/take-over', PAGE, async (request, reply) => {
      const stored = await findImport(request)
      if (!stored) return showExpired(request, reply)
      const accountId = accountOf(request)
      const overwrite = fieldOf(request, 'take') === 'theirs'
      return runStep(request, reply, stored.id, () =>
        runStoredImport(db, stored, { accountId, overwrite, validateRow, imports }),
      )
    })

    scope.get<OfImport>('/library/import/:id/done', PAGE, async (request, reply) => {
      const stored = await findImport(request)
      if (!stored?.counts) return redirectToCurrentStep(request, reply, stored)
      return sendCatalogPage(request, reply, doneView(request.page, stored))
    })

    scope.post<OfImport>('/library/import/:id/undo', PAGE, async (request, reply) => {
      const accountId = accountOf(request)
      const { id } = request.params
      return runStep(request, reply, id, () => undoStoredImport(db, id, { accountId, imports }))
    })

    scope.post<OfImport>('/library/import/:id/forget', PAGE, async (request, reply) => {
      await deleteStoredImport(db, accountOf(request), request.params.id)
      return reply.redirect(IMPORT_PATH, 303)
    })
  }

  const findImport = (request: FastifyRequest<OfImport>) =>
    findStoredImport(db, accountOf(request), request.params.id)

  /** Redirects to the current step of an import. */
  const redirectToCurrentStep = (
    request: FastifyRequest,
    reply: FastifyReply,
    stored: StoredImport | undefined,
  ) =>
    stored
      ? reply.redirect(stepPath(stored.id, stored.counts ? 'done' : 'works'), 303)
      : showExpired(request, reply)

  const showExpired = (request: FastifyRequest, reply: FastifyReply) =>
    showStart(request, reply, { notice: request.page.messages.importPage.gone, status: 404 })

  async function runStep(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    work: () => Promise<unknown>,
  ): Promise<FastifyReply> {
    try {
      await work()
    } catch (error) {
      if (error instanceof ImportGoneError) return showExpired(request, reply)
      throw error
    }
    return reply.redirect(stepPath(id, 'done'), 303)
  }

  async function showStart(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, ...data }: StartData & { status?: number },
  ): Promise<FastifyReply> {
    const stored = await findStoredImport(db, accountOf(request))
    const view = startView(request.page, { ...data, unfinished: stored?.file ? stored : undefined })
    return sendCatalogPage(request, reply, view, { status: status ?? data.fault?.status ?? 200 })
  }

  function sortedRowsOf(request: FastifyRequest, stored: StoredImport) {
    const key = JSON.stringify([stored.id, stored.chosen])
    const known = sortedRows.get(key)
    if (known) return known
    const planning = plan(accountOf(request), stored, false).then((planned) => ({
      sorted: sortRows(planned, stored),
      remarks: planned.file.remarks,
    }))
    sortedRows.set(key, planning)
    planning.catch(() => sortedRows.delete(key))
    return planning
  }

  /** Whether a work can be chosen for a row. */
  async function matchesRow(
    request: FastifyRequest,
    stored: StoredImport,
    row: number,
    workId: number,
  ) {
    const chosen = { ...stored.chosen, [row]: workId }
    const { reports } = await plan(accountOf(request), { ...stored, chosen }, false)
    const report = reports[row - 1]
    // If another row has the same work, the next step reports it.
    return report?.work_id === workId
  }

  async function showWorks(
    request: FastifyRequest,
    reply: FastifyReply,
    stored: StoredImport,
    fault?: string,
  ) {
    const { sorted, remarks } = await sortedRowsOf(request, stored)
    const last = Math.max(1, Math.ceil(sorted.unmatched.length / ROWS_PER_PAGE))
    const page = Math.min(request.method === 'GET' ? readPageNumber(request) : 1, last)
    const row = Number(queryParameterOf(request, 'row'))
    const query =
      queryParameterOf(request, 'q') === '' ? undefined : { row, q: queryParameterOf(request, 'q') }
    const seesNsfw = request.page.viewer?.nsfw ?? false
    const rows = sorted.unmatched.slice((page - 1) * ROWS_PER_PAGE, page * ROWS_PER_PAGE)
    const [offers, works] = await Promise.all([
      findOffers(
        options,
        rows.map(({ report, kinds }) => ({
          row: report.row,
          q: query?.row === report.row ? query.q : report.title,
          kinds,
        })),
        seesNsfw,
      ),
      findWorks(db, sorted.chosen),
    ])
    const data = { id: stored.id, sorted, page, offers, query, works, remarks, fault }
    return sendCatalogPage(request, reply, worksView(request.page, data), {
      status: fault === undefined ? 200 : 422,
    })
  }
}

/** An empty file counts as a file, so that the error can say that it is empty. */
const hasFile = ({ body }: FastifyRequest) =>
  typeof body === 'object' && body !== null && 'file' in body
