import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Database } from '../db/database.ts'
import { ENTRY_KINDS } from '../catalog/kinds.ts'
import { accountOf } from '../http/admission/user-guard.ts'
import { documentedRoute } from '../http/document/operation.ts'
import { errorResponse } from '../http/document/responses.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { Paged, paged, pageOfCollection, PageQuery } from '../http/wire/requests/paging.ts'
import { onBothFamilies, USER_PREFIXES } from '../http/wire/addresses/path-families.ts'
import { notFound, notOneOf, requiredField } from '../http/wire/errors/refusals.ts'
import type { PictureUrls } from '../http/wire/picture-urls.ts'
import { Envelope, Id, Ref } from '../http/wire/schemas.ts'
import { sendEnvelope } from '../http/wire/errors/send-envelope.ts'
import { parseId } from '../http/wire/requests/validation.ts'
import { appealTakedown } from './appeal-queries.ts'
import { MAX_REPORTS_PER_HOUR, REPORT_REASONS, sanitizeNote } from './reasons.ts'
import { createReport, listOwnReports } from './report-queries.ts'
import { AppealBody, NewReportBody, UserReport, UserTakedown } from './schemas.ts'
import { findTakedown, listOwnTakedowns, type Takedown } from './takedown-queries.ts'
import type { SubjectReference } from './subject-queries.ts'
import { ApiError } from '../http/wire/errors/errors.ts'

export const nothingToReport = () => notFound('missing.reported')
export const ownSubject = () => new ApiError('COMMON_CONFLICT', { code: 'report.own' })
export const invalidReason = () => notOneOf('reason', REPORT_REASONS)
export const noSuchTakedown = () => notFound('missing.takedown')
export const appealNotPossible = () =>
  new ApiError('COMMON_CONFLICT', { code: 'appeal.impossible' })

/** @param seconds until the next report is allowed */
export const tooManyReports = (seconds: number) =>
  new ApiError(
    'COMMON_RATE_LIMITED',
    { code: 'report.too_many', params: { limit: MAX_REPORTS_PER_HOUR, seconds } },
    { retryable: true, headers: { 'retry-after': String(seconds) } },
  )

const READ = { tag: 'Reports', access: 'user', scope: 'user:read' } as const
const WRITE = { ...READ, scope: 'status:write' } as const

/** Registers the routes of a user's reports, takedowns and appeals (decision 0024). */
export async function moderation(app: FastifyInstance, { db }: { db: Database }) {
  addSchemas(app, [UserReport, UserTakedown])
  await onBothFamilies(app, USER_PREFIXES, (scope) => {
    reportRoutes(scope, db)
    takedownRoutes(scope, db)
  })
}

function reportRoutes(app: FastifyInstance, db: Database) {
  app.get<{ Querystring: PageQuery }>(
    '/reports',
    documentedRoute({
      ...READ,
      operationId: 'listReports',
      summary: 'List your reports and their outcome, newest first',
      querystring: PageQuery,
      success: { 200: Envelope(Paged(Ref(UserReport))) },
    }),
    async (request, reply) => {
      const page = pageOfCollection(request.query)
      const { items, total } = await listOwnReports(db, accountOf(request), page)
      return sendEnvelope(request, reply, paged(items, page, total))
    },
  )

  app.post<{ Body: NewReportBody }>(
    '/reports',
    documentedRoute({
      ...WRITE,
      operationId: 'createReport',
      summary:
        'Report a review, picture, profile or wrong data of an entry to the moderators, up to five times an hour',
      description: 'Returns your open report about the same content, if there is one (200).',
      body: NewReportBody,
      success: { 200: Envelope(Ref(UserReport)), 201: Envelope(Ref(UserReport)) },
      faults: { invalidReason: invalidReason() },
      conflicts: { ownSubject: ownSubject() },
      more: {
        404: errorResponse('The reported content does not exist', {
          nothingToReport: nothingToReport(),
        }),
      },
    }),
    async (request, reply) => {
      const { reason, note = '' } = request.body
      const named = subjectReferenceOf(request.body, app.pictureUrls)
      if (named.kind === 'ENTRY' && sanitizeNote(note) === '') throw requiredField('note')
      const result = await createReport(db, accountOf(request), {
        named,
        reason,
        note: sanitizeNote(note),
      })
      if (result.outcome === 'too_many') throw tooManyReports(result.seconds)
      if (!('report' in result)) throw result.outcome === 'own' ? ownSubject() : nothingToReport()
      void reply.status(result.outcome === 'created' ? 201 : 200)
      return sendEnvelope(request, reply, result.report)
    },
  )
}

/** @throws {ApiError} if an entry or a picture is reported without the fields that identify it */
function subjectReferenceOf(
  { kind, id, type, url }: NewReportBody,
  pictureUrls: PictureUrls | undefined,
): SubjectReference {
  if (kind === 'REVIEW' || kind === 'PROFILE') return { kind, id }
  if (type === undefined) throw requiredField('type')
  if (kind === 'ENTRY') {
    if (type === 'profile') throw notOneOf('type', ENTRY_KINDS)
    return { kind, type, id }
  }
  if (type === 'profile') return { kind, type, id }
  if (url === undefined) throw requiredField('url')
  return { kind, type, id, url: pictureUrls?.sourceOf(url) ?? url }
}

function takedownRoutes(app: FastifyInstance, db: Database) {
  app.get(
    '/takedowns',
    documentedRoute({
      ...READ,
      operationId: 'listTakedowns',
      summary: 'List your content that moderators have hidden, with reasons, newest first',
      success: { 200: Envelope(Type.Array(Ref(UserTakedown))) },
    }),
    async (request, reply) =>
      sendEnvelope(
        request,
        reply,
        (await listOwnTakedowns(db, accountOf(request))).map(toTakedown),
      ),
  )

  app.post<{ Params: { id: string }; Body: AppealBody }>(
    '/takedowns/:id/appeal',
    documentedRoute({
      ...WRITE,
      operationId: 'createAppeal',
      summary: 'Appeal a takedown of your content, once',
      params: Type.Object({ id: Id }),
      body: AppealBody,
      success: { 200: Envelope(Ref(UserTakedown)) },
      missing: { noSuchTakedown: noSuchTakedown() },
      faults: { badNote: requiredField('note') },
      conflicts: { appealNotPossible: appealNotPossible() },
    }),
    async (request, reply) => {
      const accountId = accountOf(request)
      const id = parseId(request.params.id)
      const note = sanitizeNote(request.body.note)
      if (note === '') throw requiredField('note')
      const appealed = await appealTakedown(db, accountId, id, note, { address: request.ip })
      const takedown = await findTakedown(db, id)
      if (!takedown || takedown.owner_id !== accountId) throw noSuchTakedown()
      if (!appealed) throw appealNotPossible()
      return sendEnvelope(request, reply, toTakedown(takedown))
    },
  )
}

/** Selects what the owner may see. Moderators stay anonymous. */
const toTakedown = (takedown: Takedown) => ({
  id: takedown.id,
  kind: takedown.kind,
  place: takedown.place,
  reason: takedown.reason,
  note: takedown.note,
  hidden_at: takedown.hidden_at,
  appeal: takedown.appeal,
  appealed_at: takedown.appealed_at,
  appeal_decided_at: takedown.appeal_decided_at,
  appeal_answer: takedown.appeal_answer,
  restored_at: takedown.restored_at,
})
