import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../../accounts/form-drafts.ts'
import { missingEntryError } from '../../../catalog/merged.ts'
import { fieldOf, queryParameterOf } from '../../../ui/forms/form-field.ts'
import { html } from '../../../ui/html.ts'
import { PAGE_HEADERS } from '../../../ui/page/page.ts'
import { localPath } from '../../../ui/local-path.ts'
import { findActiveTakedown } from '../../../moderation/takedown-queries.ts'
import { findWorkRef } from '../../../ratings/own/lists/library-queries.ts'
import { pickFields, ratingFieldsOf } from '../../../ratings/fields.ts'
import { pickFieldsOf } from '../../../ratings/progress/fields.ts'
import { findWorkProgress, findVolumeTotals } from '../../../ratings/progress/queries.ts'
import { deleteWorkRecord } from '../../../ratings/progress/record-queries.ts'
import { findRating, type RatingKey } from '../../../ratings/own/queries.ts'
import {
  conflictNotice,
  FormConflict,
  loadedField,
  sentLoadedField,
} from '../../../ui/forms/form-state.ts'
import { DRAFT_PAGE, PAGE } from '../../options.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { workTitles } from '../library-view.ts'
import { hiddenNotice } from '../hidden-notice.ts'
import { CONFIRMING_PAGES, confirmationPath, returnPath } from '../return-path.ts'
import type { OfWork, RatingRouteOptions } from './step-routes.ts'
import { loadVolumeForm } from './volume-form.ts'
import { quickRating, ratingPath } from './quick-rating.ts'
import {
  CHANGED_PARAMETER,
  findLastChange,
  changeNotice,
  readChangeIds,
  undoForm,
} from '../change-notice.ts'
import { readQuickRating, readRatingForm } from './read-form.ts'
import { ratingFormView, type RatingFormData } from './rating-form-view.ts'
import { progressInputs, readProgressForm } from './read-progress.ts'
import {
  describeRatingField,
  type FormChange,
  progressFormValues,
  ratingFormValues,
  saveRatingForm,
} from './save-form.ts'
import { undoNamedChange } from '../undo-change.ts'

/** Serves the form of a work's record, and its quick form on the work's page. */
export function recordRoutes(app: FastifyInstance, { db, keyOf }: RatingRouteOptions): void {
  app.get<OfWork>('/library/:works/:id', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { rating, stored } = await storedRecord(key)
    const [notice, takedown] = await Promise.all([
      changeNotice(db, request, key.accountId),
      rating && findActiveTakedown(db, { kind: 'REVIEW', subject: String(rating.id) }),
    ])
    return showRecord(request, reply, key, {
      ...stored,
      notice: html`${takedown && hiddenNotice(request.page, takedown)}${notice}`,
    })
  })

  app.post<OfWork>('/library/:works/:id', DRAFT_PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { library: texts } = request.page.messages
    const { change, faults: ratingFaults } = readRatingForm(request, key.kind, texts)
    const { progress, faults: progressFaults } = readProgressForm(request, key.kind, texts)
    const faults = { ...ratingFaults, ...progressFaults }
    const isPreview = fieldOf(request, 'act') === 'preview'
    if (isPreview || isRestored(request) || Object.keys(faults).length > 0)
      return showRecord(request, reply, key, {
        entered: change,
        progress,
        // Values that could not be parsed are shown as they were entered.
        written: Object.fromEntries(
          [...Object.keys(ratingFaults), 'hours', 'minutes', ...progressInputs(request.body)].map(
            (name) => [name, fieldOf(request, name)],
          ),
        ),
        faults,
        isPreview,
        isStored: (await storedRecord(key)).stored.isStored,
        loaded: sentLoadedField(request),
        status: Object.keys(faults).length > 0 ? 422 : 200,
      })
    return save(request, reply, key, { change, progress })
  })

  /** Returns a work's rating form as a fragment, which scripts load after saving and on cards. */
  app.get<OfWork>('/library/:works/:id/mark', PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { accountId, kind, workId: id } = key
    const { page: context } = request
    const [work, record, last] = await Promise.all([
      findWorkRef(db, kind, id),
      findRating(db, key),
      findLastChange(db, accountId, { kind, id }),
    ])
    if (!work) throw await missingEntryError(db, kind, id, true)
    const [main] = workTitles(context, work)
    const back = localPath(queryParameterOf(request, 'back') || '/library', [CHANGED_PARAMETER])
    const undo = last && undoForm(context, { kind, id }, last.id, back)
    const title = main?.text ?? work.name
    const isPanel = queryParameterOf(request, 'panel') !== ''
    const part = quickRating(context, { kind, id, title, record, back, undo, isPanel })
    return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(part.toString())
  })

  app.post<OfWork>('/library/:works/:id/mark', DRAFT_PAGE, async (request, reply) => {
    const key = keyOf(request)
    const { change, faults } = readQuickRating(request, key.kind, request.page.messages.library)
    const isInvalid = Object.keys(faults).length > 0
    if (isInvalid || isRestored(request)) {
      const { rating, stored } = await storedRecord(key)
      return showRecord(request, reply, key, {
        ...stored,
        entered: { ...rating, ...change },
        faults,
        status: isInvalid ? 422 : 200,
      })
    }
    const isEmpty = (change.status ?? null) === null && (change.rate ?? null) === null
    // Neither a status nor a score was chosen for a work that is not on the list.
    if (isEmpty && !(await findRating(db, key))) return reply.redirect(returnPath(request), 303)
    return save(request, reply, key, { change, progress: {} })
  })

  app.post<OfWork>('/library/:works/:id/delete', PAGE, async (request, reply) => {
    const key = keyOf(request)
    // Read before the change, because a malformed path is rejected.
    const back = returnPath(request)
    await deleteWorkRecord(db, key)
    return reply.redirect(confirmationPath(back, key), 303)
  })

  app.post<OfWork>('/library/:works/:id/undo', DRAFT_PAGE, async (request, reply) => {
    const key = keyOf(request)
    const back = returnPath(request)
    // A page that confirms the change offers to undo it.
    if (isRestored(request)) {
      const page = CONFIRMING_PAGES.test(back) ? back : ratingPath(key.kind, key.workId, back)
      return reply.redirect(confirmationPath(page, key), 303)
    }
    const ids = readChangeIds(fieldOf(request, 'change'))
    if (await undoNamedChange(db, key, ids)) return reply.redirect(back, 303)
    const { stored } = await storedRecord(key)
    const { faults } = request.page.messages.library
    return showRecord(request, reply, key, {
      ...stored,
      notice: html`<div class="notice error" role="alert"><p>${faults.changedSince}</p></div>`,
      status: 409,
    })
  })

  async function save(
    request: FastifyRequest,
    reply: FastifyReply,
    key: RatingKey,
    sent: FormChange,
  ): Promise<FastifyReply> {
    const back = returnPath(request)
    try {
      await saveRatingForm(db, request, key, sent)
    } catch (error) {
      if (!(error instanceof FormConflict)) throw error
      const { values, stored } = await storedRecord(key)
      return showRecord(request, reply, key, {
        entered: pickFields({ ...values, ...error.shown }, ratingFieldsOf(key.kind)),
        progress: pickFieldsOf(key.kind, { ...values, ...error.shown }),
        isStored: stored.isStored,
        loaded: loadedField({ ...values, ...error.stored }),
        notice: conflictNotice(
          request.page.messages,
          error,
          describeRatingField(request.page.messages, key.kind),
        ),
        status: 409,
      })
    }
    return reply.redirect(confirmationPath(back, key), 303)
  }

  /** Returns the stored values, which the form of a record shows unless values were submitted. */
  async function storedRecord(key: RatingKey) {
    const [rating, progress] = await Promise.all([findRating(db, key), findWorkProgress(db, key)])
    const shownProgress = progressFormValues(key.kind, progress)
    const values = { ...ratingFormValues(key.kind, rating), ...shownProgress }
    const isStored = rating !== undefined || progress.updated_at !== null
    const stored = {
      entered: rating ?? {},
      progress: shownProgress,
      isStored,
      loaded: loadedField(values),
    }
    return { rating, values, stored }
  }

  type Shown = Pick<RatingFormData, 'entered' | 'progress' | 'isStored' | 'loaded'> &
    Partial<Pick<RatingFormData, 'written' | 'faults' | 'isPreview' | 'notice'>> & {
      status?: number
    }

  async function showRecord(
    request: FastifyRequest,
    reply: FastifyReply,
    key: RatingKey,
    { status = 200, written = {}, faults = {}, isPreview = false, notice, ...data }: Shown,
  ) {
    const { kind, workId: id } = key
    const work = await findWorkRef(db, kind, id)
    if (!work) throw await missingEntryError(db, kind, id, true)
    const { page: context } = request
    const back = returnPath(request)
    const volumesTotal = (await findVolumeTotals(db, [id])).get(id)
    const volumes = await loadVolumeForm(db, context, key, {
      rating: await findRating(db, key),
      back: ratingPath(kind, id, back),
    })
    const [main] = workTitles(context, work)
    const title = main ?? { text: work.name, lang: undefined }
    const isSeen = !work.nsfw || (context.viewer?.nsfw ?? false)
    const view = ratingFormView(context, {
      kind,
      id,
      title,
      cover: isSeen ? work.image : null,
      isSeen,
      volumesTotal,
      volumes,
      written,
      faults,
      isPreview,
      notice,
      back,
      ...data,
    })
    return sendCatalogPage(request, reply, view, { status })
  }
}
