import type { FastifyInstance } from 'fastify'
import { asksForPage } from '../../http/wire/requests/asks-for-page.ts'
import { sendError } from '../../http/wire/errors/handle-errors.ts'
import { noSuchAddress } from '../../http/wire/errors/refusals.ts'
import { showMarks } from '../library/record/show-marks.ts'
import { nothingYet } from '../components/nothing-yet.ts'
import { LISTED_PAGE, type WebOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { findHome } from './find-home.ts'
import { homeView } from './home-view.ts'

/** `/`: a page where `Accept` names HTML; programs are told that there is nothing for them. */
export async function homeRoutes(app: FastifyInstance, { db }: WebOptions) {
  app.get('/', LISTED_PAGE, async (request, reply) => {
    if (!asksForPage(request)) return sendError(noSuchAddress(), request, reply)
    const data = await findHome(db, request.page.reader)
    await showMarks(db, request, Object.values(data).flat())
    const isEmpty = data.newest.length === 0 && data.best.length === 0
    const nothing = isEmpty ? await nothingYet(db, request.page.messages) : undefined
    return sendCatalogPage(request, reply, homeView(request.page, data, nothing))
  })
}
