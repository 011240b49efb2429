import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isRestored } from '../../accounts/form-drafts.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { isId, parseId } from '../../http/wire/requests/validation.ts'
import { appealTakedown } from '../../moderation/appeal-queries.ts'
import { MAX_NOTE_LENGTH, sanitizeNote, REPORT_REASONS } from '../../moderation/reasons.ts'
import { createReport, listOwnReports } from '../../moderation/report-queries.ts'
import {
  findSubject,
  parseEntryPath,
  type SubjectReference,
} from '../../moderation/subject-queries.ts'
import { findTakedown, listOwnTakedowns } from '../../moderation/takedown-queries.ts'
import { PageError } from '../../ui/page/errors.ts'
import { fieldOf, queryParameterOf } from '../../ui/forms/form-field.ts'
import { redirectWithNotice, takeNotice } from '../../ui/page/notice.ts'
import { findPlaceTitles } from '../components/place-titles.ts'
import { requireSignIn } from '../require-sign-in.ts'
import { DRAFT_PAGE, PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { ownReportsView, type Objection } from './own-reports-view.ts'
import { reportFormView } from './report-form-view.ts'

const PAGE_SIZE = 50

/** Fields that name the subject of a report: `review`, `profile`, `entry`, or `picture` with `url`. */
const SUBJECT_FIELDS = ['review', 'profile', 'picture', 'url', 'entry'] as const

/** Serves the pages for submitting a report and following its outcome. */
export async function reportRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  const accountOf = requireSignIn(app, db, '/reports')

  app.get('/report', PAGE, async (request, reply) => showForm(request, reply, queryParameterOf))

  app.post('/report', DRAFT_PAGE, async (request, reply) => {
    const accountId = accountOf(request)
    const { reports: texts } = request.page.messages
    const reason = REPORT_REASONS.find((known) => known === fieldOf(request, 'reason'))
    const note = sanitizeNote(fieldOf(request, 'note')).slice(0, MAX_NOTE_LENGTH)
    if (isRestored(request)) return showForm(request, reply, fieldOf, { note, chosen: reason })
    const named = readSubject(request, fieldOf)
    // A report of incorrect data needs an explanation instead of a reason.
    const isEntry = named.kind === 'ENTRY'
    if (isEntry ? note === '' : !reason)
      return showForm(request, reply, fieldOf, {
        fault: isEntry ? texts.wrongMissing : texts.reasonMissing,
        note,
      })
    const result = await createReport(db, accountId, { named, reason: reason ?? 'OTHER', note })
    if (result.outcome === 'too_many') {
      const minutes = String(Math.ceil(result.seconds / 60))
      void reply.header('retry-after', result.seconds)
      throw new PageError(429, undefined, texts.tooMany({ minutes }))
    }
    if (result.outcome === 'missing') throw new PageError(404, undefined, texts.missing)
    if (result.outcome === 'own') throw new PageError(409, undefined, texts.own)
    return redirectWithNotice(reply, '/reports', 'report_sent')
  })

  app.get('/reports', PAGE, (request, reply) => showOwn(request, reply))

  app.post<{ Params: { id: string } }>(
    '/reports/:id/appeal',
    DRAFT_PAGE,
    async (request, reply) => {
      const accountId = accountOf(request)
      const id = parseId(request.params.id)
      const takedown = await findTakedown(db, id)
      if (takedown?.owner_id !== accountId) throw notFound()
      const note = sanitizeNote(fieldOf(request, 'note'))
      if (isRestored(request)) return showOwn(request, reply, { id, text: note })
      if (note === '' || note.length > MAX_NOTE_LENGTH)
        return showOwn(request, reply, {
          id,
          text: note,
          fault: request.page.messages.reports.objectMissing,
        })
      await appealTakedown(db, accountId, id, note, {
        address: request.ip,
        userAgent: request.headers['user-agent'],
      })
      return reply.redirect(`/reports#hidden-${id}`, 303)
    },
  )

  async function showOwn(request: FastifyRequest, reply: FastifyReply, objection?: Objection) {
    const accountId = accountOf(request)
    const page = request.method === 'GET' ? readPageNumber(request) : 1
    const [reports, takedowns] = await Promise.all([
      listOwnReports(db, accountId, { page, pageSize: PAGE_SIZE }),
      listOwnTakedowns(db, accountId),
    ])
    const places = [...reports.items, ...takedowns].map(({ place }) => place)
    const view = ownReportsView(request.page, {
      reports: reports.items,
      takedowns,
      titles: await findPlaceTitles(db, request.page, places),
      page,
      last: Math.max(1, Math.ceil(reports.total / PAGE_SIZE)),
      wasSent: takeNotice(request, reply, ['report_sent']) !== undefined,
      objection,
    })
    return sendCatalogPage(request, reply, view, {
      status: objection?.fault === undefined ? 200 : 422,
    })
  }

  async function showForm(
    request: FastifyRequest,
    reply: FastifyReply,
    valueOf: typeof fieldOf,
    {
      fault,
      note = '',
      chosen = '',
    }: { fault?: string; note?: string; chosen?: string | undefined } = {},
  ) {
    const { reports: texts } = request.page.messages
    const subject = await findSubject(db, readSubject(request, valueOf))
    if (!subject) throw new PageError(404, undefined, texts.missing)
    if (subject.owner_id === accountOf(request)) throw new PageError(409, undefined, texts.own)
    const fields = Object.fromEntries(
      SUBJECT_FIELDS.flatMap((name) =>
        valueOf(request, name) === '' ? [] : [[name, valueOf(request, name)]],
      ),
    )
    const titles = await findPlaceTitles(db, request.page, [subject.place])
    const view = reportFormView(request.page, { subject, titles, fields, fault, note, chosen })
    return sendCatalogPage(request, reply, view, { status: fault === undefined ? 200 : 422 })
  }
}

/** @throws {PageError} if the reference is malformed */
function readSubject(request: FastifyRequest, valueOf: typeof fieldOf): SubjectReference {
  const [review = '', profile = '', picture = '', url = '', entry = ''] = SUBJECT_FIELDS.map(
    (name) => valueOf(request, name),
  )
  if (isId(review)) return { kind: 'REVIEW', id: Number(review) }
  if (isId(profile)) return { kind: 'PROFILE', id: Number(profile) }
  const [, account = ''] = /^profile\/(\d+)$/.exec(picture) ?? []
  if (isId(account)) return { kind: 'PICTURE', type: 'profile', id: Number(account) }
  const shown = parseEntryPath(picture)
  if (shown && url !== '') return { kind: 'PICTURE', ...shown, url }
  const wrong = parseEntryPath(entry)
  if (wrong) return { kind: 'ENTRY', ...wrong }
  throw new PageError(404, undefined, request.page.messages.reports.missing)
}
