import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { MAX_NOTE_LENGTH, sanitizeNote, REPORT_REASONS } from '../../moderation/reasons.ts'
import { decideReports, reopenReports } from '../../moderation/decision-queries.ts'
import {
  findReport,
  listReportQueue,
  listReportsOf,
  type Report,
} from '../../moderation/report-queries.ts'
import { findReviewTexts, isHideable } from '../../moderation/subject-queries.ts'
import { hideSubject } from '../../moderation/hide-queries.ts'
import { findActiveTakedown, listAppeals } from '../../moderation/takedown-queries.ts'
import { listImportStates } from '../../operations/database-health-queries.ts'
import { html } from '../../ui/html.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf } from '../../ui/forms/form-field.ts'
import { refererPath, storeReturnPath } from '../../ui/forms/return-path.ts'
import { findPlaceTitles } from '../../site/components/place-titles.ts'
import type { PageRouteOptions } from '../../site/options.ts'
import { readPageNumber } from '../../site/read-page-number.ts'
import { sendCatalogPage } from '../../site/send-catalog-page.ts'
import { actorOf, readReason, refuseAction, refuseOwn } from '../moderator-action.ts'
import { FOR_MODERATORS } from '../guard.ts'
import { redirectWithDone, takeDoneNotice } from '../notice.ts'
import { failedUpdatesNotice } from '../system/import-view.ts'
import { queueView, reportView } from './queue-view.ts'

const PAGE_SIZE = 50

type IdParams = { Params: { id: string } }

/** Registers the pages that list and decide reports. */
export async function queueRoutes(app: FastifyInstance, { db, operations }: PageRouteOptions) {
  app.get('/desk', FOR_MODERATORS, async (request, reply) => {
    const page = readPageNumber(request)
    const [queue, appeals] = await Promise.all([
      listReportQueue(db, { page, pageSize: PAGE_SIZE }),
      listAppeals(db),
    ])
    const places = [...queue.items, ...appeals].map(({ place }) => place)
    const isAdmin = request.page.viewer?.role === 'ADMIN'
    const imports = isAdmin ? await listImportStates(db) : []
    const last = Math.max(1, Math.ceil(queue.total / PAGE_SIZE))
    const view = queueView(request.page, {
      queue: queue.items,
      appeals,
      titles: await findPlaceTitles(db, request.page, places),
      page,
      last,
      notice: html`${await takeDoneNotice(db, request, reply)}${failedUpdatesNotice(request.page, imports)}`,
    })
    return sendCatalogPage(request, reply, view)
  })

  /** Starts a new sign-in, which leads back to the page where the moderator wanted to act. */
  app.get('/desk/sign-in', FOR_MODERATORS, async (request, reply) => {
    storeReturnPath(reply, refererPath(request, '/desk'))
    return reply.header('cache-control', 'no-store').redirect('/sign-in?again=yes', 303)
  })

  const reportOf = async (request: FastifyRequest<IdParams>) => {
    const report = await findReport(db, parseId(request.params.id))
    if (!report) throw notFound()
    return report
  }

  app.get<IdParams>('/desk/reports/:id', FOR_MODERATORS, async (request, reply) => {
    const report = await reportOf(request)
    const [reports, takedown, texts, titles] = await Promise.all([
      listReportsOf(db, report),
      findActiveTakedown(db, report),
      findReviewTexts(db, report.kind === 'REVIEW' ? [Number(report.subject)] : []),
      findPlaceTitles(db, request.page, [report.place]),
    ])
    const text = texts.get(Number(report.subject))
    const view = reportView(request.page, {
      report,
      reports,
      takedown,
      text,
      titles,
      notice: await takeDoneNotice(db, request, reply),
    })
    return sendCatalogPage(request, reply, view)
  })

  app.post<IdParams>('/desk/reports/:id/hide', FOR_MODERATORS, async (request, reply) => {
    const report = await reportOf(request)
    refuseOwn(request, report)
    if (!isHideable(report)) throw notFound()
    const reason = REPORT_REASONS.find((known) => known === fieldOf(request, 'reason'))
    const note = sanitizeNote(fieldOf(request, 'note'))
    if (!reason || note === '' || note.length > MAX_NOTE_LENGTH)
      throw new PageError(422, undefined, request.page.messages.desk.whyMissing)
    const { outcome, takedown } = await hideSubject(db, report, { reason, note }, actorOf(request))
    operations.wakeOutbox()
    if (!takedown) refuseAction(request.page.messages.desk.queue.gone)
    const path = `/desk/hidden/${takedown.id}`
    if (outcome === 'already') return redirectWithDone(reply, path, { done: 'alreadyHidden' })
    return redirectWithDone(reply, path, {
      done: 'hidden',
      undo: { action: 'restore', id: takedown.id },
    })
  })

  app.post<IdParams>('/desk/reports/:id/correct', FOR_MODERATORS, async (request, reply) => {
    const report = await reportOf(request)
    if (isHideable(report)) throw notFound()
    return decide(request, reply, report, 'UPHELD')
  })

  app.post<IdParams>('/desk/reports/:id/dismiss', FOR_MODERATORS, async (request, reply) => {
    const report = await reportOf(request)
    refuseOwn(request, report)
    return decide(request, reply, report, 'DISMISSED')
  })

  app.post<IdParams>('/desk/reports/:id/reopen', FOR_MODERATORS, async (request, reply) => {
    const report = await reportOf(request)
    refuseOwn(request, report)
    const opened = await reopenReports(db, report, actorOf(request))
    return redirectWithDone(reply, `/desk/reports/${report.id}`, {
      done: opened > 0 ? 'reopened' : 'already',
    })
  })

  async function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    report: Report,
    state: 'UPHELD' | 'DISMISSED',
  ) {
    const path = `/desk/reports/${report.id}`
    const about = { ...report, last: parseId(fieldOf(request, 'last')) }
    const closed = await decideReports(db, about, state, readReason(request), actorOf(request))
    if (closed === 0) return redirectWithDone(reply, path, { done: 'decided' })
    return redirectWithDone(reply, path, {
      done: isHideable(report) ? 'dismissed' : 'entryDecided',
      undo: { action: 'reopenReport', id: report.id },
    })
  }
}
