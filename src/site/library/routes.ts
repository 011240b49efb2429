import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { findApps } from '../../apps/queries.ts'
import { parseWorkKind } from '../../catalog/work-types.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { html, type Html } from '../../ui/html.ts'
import { listRatingHistory } from '../../ratings/own/history-queries.ts'
import { countOwnLibrary, listOwnLibrary } from '../../ratings/own/lists/library-queries.ts'
import { findRandomPlan } from '../../ratings/own/lists/home-queries.ts'
import { findVolumeTotals, listLabels } from '../../ratings/progress/queries.ts'
import type { RatingKey } from '../../ratings/own/queries.ts'
import { entryPath } from '../components/entry-path.ts'
import { DRAFT_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { diaryRoutes } from './diary/routes.ts'
import { rejectDuringImport } from './during-import.ts'
import { exportRoutes } from './export-routes.ts'
import { libraryHistoryView } from './history-view.ts'
import { isGrouped, readOwnQuery, storeLibraryView } from './library-query.ts'
import { LIST_PAGE_SIZE } from './library-view.ts'
import { libraryView } from './shelf-view.ts'
import { returnPath, withChange } from './return-path.ts'
import { recordRoutes } from './rating/record-routes.ts'
import { stepRoutes, type OfWork } from './rating/step-routes.ts'
import { changeNotice, workPath } from './change-notice.ts'
import { applyBulkChange, restoredBulkForm } from './bulk-change.ts'
import { ownStatisticsRoutes } from './statistics/routes.ts'

/** Number of changes on a page of the history. */
const PAGE_SIZE = 50

/** Serves the user's own list and its forms. */
export async function libraryRoutes(app: FastifyInstance, options: PageRouteOptions) {
  const { db } = options
  const accountOf = requireSignIn(app, db, '/library')
  rejectDuringImport(app, { ...options, accountOf })
  const keyOf = (request: FastifyRequest<OfWork>): RatingKey => ({
    accountId: accountOf(request),
    kind: parseWorkKind(request.params.works),
    workId: parseId(request.params.id),
  })

  exportRoutes(app, { ...options, accountOf })
  ownStatisticsRoutes(app, { ...options, accountOf })
  diaryRoutes(app, { ...options, accountOf })
  stepRoutes(app, { db, keyOf })
  recordRoutes(app, { db, keyOf })

  app.get('/library', PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const notice = await changeNotice(db, request, accountId)
    storeLibraryView(request, reply)
    return sendCatalogPage(
      request,
      reply,
      await listView(request, accountId, readPageNumber(request), notice),
    )
  })

  app.get('/library/random', PAGE, async (request, reply) => {
    const { filter } = readOwnQuery(request)
    const seesNsfw = request.page.viewer?.nsfw ?? false
    const work = await findRandomPlan(db, accountOf(request), filter.kind, seesNsfw)
    const path = work ? entryPath(work.kind, work.id) : '/library?status=PLAN'
    return reply.header('cache-control', 'no-store').redirect(path, 303)
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

  app.post('/library/several', DRAFT_PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    if (isRestored(request)) {
      const view = await listView(request, accountId, 1, await restoredBulkForm(db, request))
      return sendCatalogPage(request, reply, view)
    }
    const back = returnPath(request)
    const outcome = await applyBulkChange(db, request, accountId)
    if ('fault' in outcome) {
      const notice = html`<div class="notice error" role="alert"><p>${outcome.fault}</p></div>`
      const view = await listView(request, accountId, 1, notice)
      return sendCatalogPage(request, reply, view, { status: outcome.status })
    }
    const { changed } = outcome
    const [only] = changed
    if (!only) return reply.redirect(back, 303)
    const done =
      changed.length > 1
        ? changed.map(({ id }) => id).join(',')
        : workPath({ kind: only.kind, id: only.work_id })
    return reply.redirect(withChange(back, done), 303)
  })

  async function listView(
    request: FastifyRequest,
    accountId: number,
    page: number,
    notice: Html | undefined,
  ) {
    const query = readOwnQuery(request)
    const sort = { ...query.sort, isGrouped: isGrouped(query) }
    const [items, counts, labels] = await Promise.all([
      listOwnLibrary(db, accountId, query.filter, sort, { page, pageSize: LIST_PAGE_SIZE }),
      countOwnLibrary(db, accountId, query.filter),
      listLabels(db, accountId),
    ])
    const counted = items.filter(({ volumes_read: read }) => read > 0)
    const totals = await findVolumeTotals(
      db,
      counted.map(({ work_id }) => work_id),
    )
    const names = labels.map(({ label }) => label)
    return libraryView(request.page, { query, page, items, totals, counts, labels: names, notice })
  }
}
