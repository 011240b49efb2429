import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { canDecideAppeal, rejectAppeal } from '../../moderation/appeal-queries.ts'
import { findReviewTexts } from '../../moderation/subject-queries.ts'
import { restoreSubject } from '../../moderation/hide-queries.ts'
import { findTakedown, listTakedowns, type Takedown } from '../../moderation/takedown-queries.ts'
import { findPlaceTitles } from '../../site/components/place-titles.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import {
  actorOf,
  isUnexplainedUndo,
  readReason,
  refuseAction,
  refuseOwn,
  refuseUnexplained,
} from '../moderator-action.ts'
import { deskViewer, FOR_MODERATORS } from '../guard.ts'
import { hiddenListView, hiddenView } from './hidden-view.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { readIdParameter } from '../read-parameters.ts'

const PAGE_SIZE = 50

type IdParams = { Params: { id: string } }

/** Registers the pages that list and restore hidden content and decide appeals. */
export async function hiddenRoutes(
  app: FastifyInstance,
  { db, operations, contact }: PageRouteOptions,
) {
  app.get('/desk/hidden', FOR_MODERATORS, async (request, reply) => {
    const takedowns = await listTakedowns(db, {
      before: readIdParameter(request, 'before'),
      limit: PAGE_SIZE + 1,
    })
    const shown = takedowns.slice(0, PAGE_SIZE)
    const next = takedowns.length > PAGE_SIZE ? shown.at(-1)?.id : undefined
    const titles = await findPlaceTitles(
      db,
      request.page,
      shown.map(({ place }) => place),
    )
    return sendCatalogPage(
      request,
      reply,
      hiddenListView(request.page, { takedowns: shown, titles, next }),
    )
  })

  const takedownOf = async (request: FastifyRequest<IdParams>) => {
    const takedown = await findTakedown(db, parseId(request.params.id))
    if (!takedown) throw notFound()
    return takedown
  }
  const isAppealed = ({ appealed_at: at, appeal_decided_at: decided }: Takedown) =>
    at !== null && decided === null

  app.get<IdParams>('/desk/hidden/:id', FOR_MODERATORS, async (request, reply) => {
    const takedown = await takedownOf(request)
    const [texts, titles, mayDecide] = await Promise.all([
      findReviewTexts(db, takedown.kind === 'REVIEW' ? [Number(takedown.subject)] : []),
      findPlaceTitles(db, request.page, [takedown.place]),
      canDecideAppeal(db, takedown, deskViewer(request).accountId),
    ])
    const view = hiddenView(request.page, {
      takedown,
      text: texts.get(Number(takedown.subject)),
      titles,
      isAppealed: isAppealed(takedown),
      mayDecide,
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post<IdParams>('/desk/hidden/:id/restore', FOR_MODERATORS, async (request, reply) => {
    const takedown = await takedownOf(request)
    refuseOwn(request, takedown)
    const reason = isUnexplainedUndo(request) ? '' : readReason(request)
    const from = { ...actorOf(request), contact }
    const outcome = await restoreSubject(db, takedown, reason, from)
    if (outcome === 'unexplained') refuseUnexplained(request)
    operations.wakeOutbox()
    return redirectWithDone(reply, `/desk/hidden/${takedown.id}`, { done: outcome })
  })

  app.post<IdParams>('/desk/hidden/:id/reject', FOR_MODERATORS, async (request, reply) => {
    const takedown = await takedownOf(request)
    refuseOwn(request, takedown)
    if (!isAppealed(takedown)) throw notFound()
    if (!(await canDecideAppeal(db, takedown, deskViewer(request).accountId)))
      refuseAction(request.page.messages.desk.hidden.notYou)
    const from = { ...actorOf(request), contact }
    const isFirst = await rejectAppeal(db, takedown, readReason(request), from)
    operations.wakeOutbox()
    return redirectWithDone(reply, `/desk/hidden/${takedown.id}`, {
      done: isFirst ? 'rejected' : 'decided',
    })
  })
}
