import type { FastifyInstance } from 'fastify'
import { requestsPage } from '../../http/wire/requests/requests-page.ts'
import { sendError } from '../../http/wire/errors/handle-errors.ts'
import { noSuchPath } from '../../http/wire/errors/refusals.ts'
import { changeNotice } from '../library/change-notice.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { entryPath } from '../components/entry-path.ts'
import { emptyListNotice } from '../components/empty-list-notice.ts'
import { LISTED_PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { findHome, worksIn } from './find-home.ts'
import { homeView } from './home-view.ts'

/** Serves `/` to clients that accept HTML; API clients get a 404 error. */
export async function homeRoutes(app: FastifyInstance, { db, reads }: PageRouteOptions) {
  app.get('/', LISTED_PAGE, async (request, reply) => {
    if (!requestsPage(request)) return sendError(noSuchPath(), request, reply)
    const { viewer } = request.page
    const [data, notice] = await Promise.all([
      findHome(db, reads, viewer),
      viewer && changeNotice(db, request, viewer.accountId),
    ])
    const works = worksIn(data)
    await loadMarks(db, request, works)
    const isEmpty = works.length === 0 && data.hidden === 0
    const emptyNotice = isEmpty ? await emptyListNotice(reads, request.page.messages) : undefined
    const entries = data.reviews.map(({ work }) => entryPath(work.type, work.id))
    const view = homeView(request.page, data, emptyNotice, notice)
    return sendCatalogPage(request, reply, view, { entries })
  })
}
