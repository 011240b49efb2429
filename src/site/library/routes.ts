import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { findApps } from '../../apps/queries.ts'
import type { WorkKind } from '../../catalog/kinds.ts'
import { parseWorkKind } from '../../catalog/parse-work-kind.ts'
import { missingEntryError } from '../../catalog/merged.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { fieldOf, parameterOf } from '../../ui/forms/form-field.ts'
import { html } from '../../ui/html.ts'
import { PAGE_HEADERS } from '../../ui/page/page.ts'
import { localAddress } from '../../ui/local-address.ts'
import { findActiveTakedown } from '../../moderation/takedown-queries.ts'
import { listRatingHistory } from '../../ratings/own/history-queries.ts'
import { countLibrary, findWorkRef, listLibrary } from '../../ratings/own/lists/library-queries.ts'
import { findUserStatistics } from '../../ratings/own/user-statistics-queries.ts'
import type { RatingChange } from '../../ratings/fields.ts'
import { deleteRating, findRating, type RatingKey } from '../../ratings/own/queries.ts'
import {
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../ui/forms/form-state.ts'
import { addressWith } from '../components/address-with.ts'
import { DRAFT_PAGE, PAGE, type WebOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { admitReaders } from '../admit-readers.ts'
import { refuseDuringImport } from './during-import.ts'
import { exportRoutes } from './export-routes.ts'
import { libraryHistoryView } from './history-view.ts'
import { readLibraryAddress } from './library-address.ts'
import { libraryView, shownTitlesOf } from './library-view.ts'
import { hiddenNotice } from './hidden-notice.ts'
import { markForm } from './record/mark-form.ts'
import { DONE, findLastChange, noticeOf, readChangeIds, undoForm, workPath } from './notice.ts'
import { readMark, readRecordForm } from './record/read-form.ts'
import { recordView, type RecordData } from './record/record-view.ts'
import { describeRecordField, recordFormValues, saveRecordForm } from './record/save-form.ts'
import { changeSeveral } from './several.ts'
import { libraryStatisticsView } from './statistics-view.ts'
import { undoNamedChange } from './undo-change.ts'

/** Works on a page of the list, and changes on one of its history. */
const PAGE_SIZE = 50

type OfWork = { Params: { works: string; id: string } }

/** A reader's own list: to look at, and to change. Who is not signed in is asked to be, and led back here. */
export async function libraryRoutes(app: FastifyInstance, options: WebOptions) {
  const { db } = options
  const accountOf = admitReaders(app, db, '/library')
  refuseDuringImport(app, { ...options, accountOf })
  const keyOf = (request: FastifyRequest<OfWork>): RatingKey => ({
    accountId: accountOf(request),
    kind: parseWorkKind(request.params.works),
    workId: parseId(request.params.id),
  })

  exportRoutes(app, { ...options, accountOf })

  app.get('/library', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const address = readLibraryAddress(request)
    const page = readPageNumber(request)
    const [items, counts, notice] = await Promise.all([
      listLibrary(db, accountId, address.filter, address.order, { page, pageSize: PAGE_SIZE }),
      countLibrary(db, accountId, address.filter),
      noticeOf(db, request, accountId),
    ])
    return sendCatalogPage(
      request,
      reply,
      libraryView(request.page, { address, page, pageSize: PAGE_SIZE, items, counts, notice }),
    )
  })

  app.get('/library/statistics', PAGE, async (request, reply) => {
    const statistics = await findUserStatistics(db, accountOf(request))
    return sendCatalogPage(
      request,
      reply,
      libraryStatisticsView(request.page, statistics, new Date()),
    )
  })

  app.get('/library/history', PAGE, async (request, reply) => {
    const page = readPageNumber(request)
    const { entries, total } = await listRatingHistory(db, accountOf(request), undefined, {
      page,
      pageSize: PAGE_SIZE,
    })
    const used = await findApps(db, [
      ...new Set(entries.flatMap(({ client_id }) => client_id ?? [])),
    ])
    const apps = new Map(used.map(({ client_id, client_name }) => [client_id, client_name]))
    const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
    return sendCatalogPage(
      request,
      reply,
      libraryHistoryView(request.page, { entries, apps, page, last }),
    )
  })

  app.post('/library/several', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const { page: context } = request
    const outcome = await changeSeveral(db, request, accountId)
    if ('fault' in outcome) {
      const address = readLibraryAddress(request)
      const [items, counts] = await Promise.all([
        listLibrary(db, accountId, address.filter, address.order, { page: 1, pageSize: PAGE_SIZE }),
        countLibrary(db, accountId, address.filter),
      ])
      const notice = html`<div class="notice error" role="alert"><p>${outcome.fault}</p></div>`
      const view = libraryView(context, {
        address,
        page: 1,
        pageSize: PAGE_SIZE,
        items,
        counts,
        notice,
      })
      return sendCatalogPage(request, reply, view, { status: outcome.status })
    }
    const { changed } = outcome
    const [only] = changed
    if (!only) return reply.redirect(wayBack(request), 303)
    const done =
      changed.length > 1
        ? changed.map(({ id }) => id).join(',')
        : workPath({ kind: only.kind, id: only.work_id })
    return reply.redirect(addressOf(wayBack(request), done), 303)
  })

  app.get<OfWork>('/library/:works/:id', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const rating = await findRating(db, key)
    const [notice, takedown] = await Promise.all([
      noticeOf(db, request, key.accountId),
      rating && findActiveTakedown(db, { kind: 'REVIEW', subject: String(rating.id) }),
    ])
    return showRecord(request, reply, key, {
      entered: rating ?? {},
      isStored: rating !== undefined,
      loaded: loadedField(recordFormValues(key.kind, rating)),
      notice: html`${takedown && hiddenNotice(request.page, takedown)}${notice}`,
    })
  })

  app.post<OfWork>('/library/:works/:id', DRAFT_PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { change, faults } = readRecordForm(request, key.kind, request.page.messages.library)
    const isPreview = fieldOf(request, 'act') === 'preview'
    if (isPreview || isRestored(request) || Object.keys(faults).length > 0)
      return showRecord(request, reply, key, {
        entered: change,
        // What could not be read is shown as it was written.
        written: Object.fromEntries(
          [...Object.keys(faults), 'hours', 'minutes'].map((name) => [
            name,
            fieldOf(request, name),
          ]),
        ),
        faults,
        isPreview,
        isStored: (await findRating(db, key)) !== undefined,
        loaded: sentLoadedField(request),
        status: Object.keys(faults).length > 0 ? 422 : 200,
      })
    return save(request, reply, key, change)
  })

  /** The part of a page that says what is recorded of a work, for script that has sent it, and for cards. */
  app.get<OfWork>('/library/:works/:id/mark', PAGE, async (request, reply) => {
    const { accountId, kind, workId: id } = keyOf(request)
    const { page: context } = request
    const [work, record, last] = await Promise.all([
      findWorkRef(db, kind, id),
      findRating(db, { accountId, kind, workId: id }),
      findLastChange(db, accountId, { kind, id }),
    ])
    if (!work) throw await missingEntryError(db, kind, id, true)
    const [main] = shownTitlesOf(context, work)
    const back = localAddress(parameterOf(request, 'back') || '/library', [DONE])
    const undo = last && undoForm(context, { kind, id }, last.id, back)
    const title = main?.text ?? work.name
    const isPanel = parameterOf(request, 'panel') !== ''
    const part = markForm(context, { kind, id, title, record, back, undo, isPanel })
    return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(part.toString())
  })

  app.post<OfWork>('/library/:works/:id/mark', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { change, faults } = readMark(request, key.kind, request.page.messages.library)
    if (Object.keys(faults).length > 0) {
      const rating = await findRating(db, key)
      return showRecord(request, reply, key, {
        entered: { ...rating, ...change },
        faults,
        isStored: rating !== undefined,
        loaded: loadedField(recordFormValues(key.kind, rating)),
        status: 422,
      })
    }
    const isEmpty = (change.status ?? null) === null && (change.rate ?? null) === null
    // Nothing was chosen of a work that is not on the list.
    if (isEmpty && !(await findRating(db, key))) return reply.redirect(wayBack(request), 303)
    return save(request, reply, key, change)
  })

  app.post<OfWork>('/library/:works/:id/delete', PAGE, async (request, reply) => {
    const key = keyOf(request)
    await deleteRating(db, key, null)
    return reply.redirect(doneAt(wayBack(request), key), 303)
  })

  app.post<OfWork>('/library/:works/:id/undo', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const ids = readChangeIds(fieldOf(request, 'change'))
    if (await undoNamedChange(db, key, ids)) return reply.redirect(wayBack(request), 303)
    const rating = await findRating(db, key)
    const { faults } = request.page.messages.library
    return showRecord(request, reply, key, {
      entered: rating ?? {},
      isStored: rating !== undefined,
      loaded: loadedField(recordFormValues(key.kind, rating)),
      notice: html`<div class="notice error" role="alert"><p>${faults.changedSince}</p></div>`,
      status: 409,
    })
  })

  async function save(
    request: FastifyRequest,
    reply: FastifyReply,
    key: RatingKey,
    change: RatingChange,
  ): Promise<FastifyReply> {
    try {
      await saveRecordForm(db, request, key, change)
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      const rating = await findRating(db, key)
      const stored = recordFormValues(key.kind, rating)
      return showRecord(request, reply, key, {
        entered: { ...stored, ...error.shown },
        isStored: rating !== undefined,
        loaded: loadedField({ ...stored, ...error.stored }),
        notice: conflictNotice(
          request.page.messages,
          error,
          describeRecordField(request.page.messages, key.kind),
        ),
        status: 409,
      })
    }
    return reply.redirect(doneAt(wayBack(request), key), 303)
  }

  type Shown = Pick<RecordData, 'entered' | 'isStored' | 'loaded'> &
    Partial<Pick<RecordData, 'written' | 'faults' | 'isPreview' | 'notice'>> & { status?: number }

  async function showRecord(
    request: FastifyRequest,
    reply: FastifyReply,
    { kind, workId: id }: RatingKey,
    { status = 200, written = {}, faults = {}, isPreview = false, notice, ...data }: Shown,
  ) {
    const work = await findWorkRef(db, kind, id)
    if (!work) throw await missingEntryError(db, kind, id, true)
    const [main] = shownTitlesOf(request.page, work)
    const title = main ?? { text: work.name, lang: undefined }
    const isSeen = !work.nsfw || (request.page.reader?.nsfw ?? false)
    const view = recordView(request.page, {
      kind,
      id,
      title,
      cover: isSeen ? work.image : null,
      isSeen,
      written,
      faults,
      isPreview,
      notice,
      back: wayBack(request),
      ...data,
    })
    return sendCatalogPage(request, reply, view, { status })
  }
}

/** Where the form says that it stood; never an address of somebody else. */
const wayBack = (request: FastifyRequest): string =>
  localAddress(fieldOf(request, 'back') || parameterOf(request, 'back') || '/library', [DONE])

/** An address that tells, when it is opened, that a record was changed. */
const doneAt = (
  address: string,
  { kind, workId: id }: { kind: WorkKind; workId: number },
): string => addressOf(address, workPath({ kind, id }))

function addressOf(address: string, done: string): string {
  const [path = '', query = ''] = address.split('?')
  return addressWith(path, new URLSearchParams(query), { [DONE]: done })
}
