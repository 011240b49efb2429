import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { requireWork } from './require-work.ts'
import { ETAG_HEADER, errorResponse } from '../../http/document/responses.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { callerOf } from '../../http/admission/access.ts'
import { accountOf } from '../../http/admission/user-guard.ts'
import { etagOf, matchesEtag } from '../../http/wire/etag.ts'
import { progressChanged } from '../../http/wire/errors/feature-refusals.ts'
import { insufficientScope, validationError } from '../../http/wire/errors/refusals.ts'
import { sendEnvelope, sendNothing } from '../../http/wire/errors/send-envelope.ts'
import { parseId, readBody, refuseFaults } from '../../http/wire/requests/validation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { READ_RATINGS, WORK_OPERATION, WRITE_RATINGS } from '../own/documentation.ts'
import type { RatingRoutes } from '../own/routes.ts'
import type { RatingKey } from '../own/queries.ts'
import { BLANK_PROGRESS, pickFieldsOf, type ProgressChange } from './fields.ts'
import { mayUseNotes, NOTES_SCOPE, withoutNote } from './note-access.ts'
import { parseProgressChange, tooManyLabels } from './progress-rules.ts'
import { toProgressResponse } from './progress-response.ts'
import {
  changeProgress,
  findWorkProgress,
  findVolumeTotals,
  listLabels,
  type WorkProgress,
} from './queries.ts'
import { Labels, PROGRESS, progressChange } from './schemas.ts'
import type { Database } from '../../db/database.ts'

type IdParams = { Params: { id: string } }

const CONDITION =
  'Send the `ETag` of the last response as `If-Match` to change it only if nothing else has: otherwise the response is 412 and nothing is stored.'
const NOTES = `Without the scope \`${NOTES_SCOPE}\`, the private note is neither returned nor changed, and a body that contains it is refused with 403.`

/** Registers the routes of a user's progress in one work, and of the user's labels (decision 0045). */
export function progressRoutes(routes: Pick<RatingRoutes, 'app' | 'db'>) {
  const { app, db } = routes
  for (const kind of WORK_KINDS) progressRoutesOf(routes, kind)
  app.get(
    '/labels',
    documentedRoute({
      ...READ_RATINGS,
      operationId: 'listLabels',
      summary: 'Your labels, with the number of works that have each',
      success: { 200: Envelope(Ref(Labels)) },
    }),
    async (request, reply) =>
      sendEnvelope(request, reply, { labels: await listLabels(db, accountOf(request)) }),
  )
}

function progressRoutesOf({ app, db }: Pick<RatingRoutes, 'app' | 'db'>, kind: WorkKind) {
  const { path, singular } = KINDS[kind]
  const url = `/progress/${path}/:id`
  const keyOf = (request: FastifyRequest<IdParams>): RatingKey => ({
    accountId: accountOf(request),
    kind,
    workId: parseId(request.params.id),
  })
  const body = progressChange(kind)
  const fields = Object.keys(body.properties)
  const success = {
    200: {
      description: 'Your progress in the work',
      headers: ETAG_HEADER,
      content: { 'application/json': { schema: Envelope(Ref(PROGRESS[kind])) } },
    },
  }
  const faults = {
    badProgress: validationError([{ field: 'started_on', code: 'date.partial' }, tooManyLabels()]),
  }
  const more = {
    412: errorResponse('Changed in the meantime', { progressChanged: progressChanged() }),
  }

  app.get<IdParams>(
    url,
    documentedRoute({
      ...READ_RATINGS,
      ...WORK_OPERATION,
      operationId: `get${singular}Progress`,
      summary: 'Your progress in a work: dates, volumes, labels and your private note',
      description: `Only you see it, and your apps with the scope. Works without progress have the defaults. The private note requires the scope \`${NOTES_SCOPE}\` as well.`,
      success,
    }),
    async (request, reply) => {
      const key = keyOf(request)
      const progress = await findWorkProgress(db, key)
      if (progress.updated_at === null) await requireWork(db, key)
      return send(request, reply, await responseOf(request, db, key, progress))
    },
  )

  const change =
    (base: ProgressChange) => async (request: FastifyRequest<IdParams>, reply: FastifyReply) => {
      const { readable, faults } = readBody<ProgressChange>(request, fields)
      const { change: sent, faults: broken } = parseProgressChange(kind, readable)
      refuseFaults([...faults, ...broken])
      if (sent.private_note !== undefined && !mayUseNotes(request))
        throw insufficientScope(NOTES_SCOPE)
      const key = keyOf(request)
      const progress = await changeProgress(
        db,
        key,
        callerOf(request).clientId,
        async (stored, trx) => {
          await requireMatch(request, trx, key, stored)
          return { ...withAllowedNote(request, base), ...sent }
        },
      )
      return send(request, reply, await responseOf(request, db, key, progress))
    }

  const changeRoute = (operationId: string, summary: string) => ({
    ...documentedRoute({
      ...WRITE_RATINGS,
      ...WORK_OPERATION,
      operationId,
      summary,
      description: `${CONDITION} ${NOTES}`,
      body,
      success,
      faults,
      more,
    }),
    attachValidation: true,
  })

  app.put<IdParams>(
    url,
    changeRoute(
      `replace${singular}Progress`,
      'Replace your progress in a work. Omitted fields get their defaults.',
    ),
    change(pickFieldsOf(kind, BLANK_PROGRESS)),
  )

  app.patch<IdParams>(
    url,
    changeRoute(`change${singular}Progress`, 'Change some fields of your progress in a work'),
    change({}),
  )

  app.delete<IdParams>(
    url,
    documentedRoute({
      ...WRITE_RATINGS,
      ...WORK_OPERATION,
      operationId: `delete${singular}Progress`,
      summary: 'Delete your progress in a work. Returns 204 even if you have none.',
      description: `${CONDITION} Without the scope \`${NOTES_SCOPE}\`, the private note stays.`,
      ignoresBody: true,
      success: { 204: Type.Null() },
      more,
    }),
    async (request, reply) => {
      const key = keyOf(request)
      await deleteProgress(db, request, key)
      return sendNothing(request, reply)
    },
  )
}

/** Deletes progress. Without any, succeeds even if there is no such work, like the deletion of a rating. */
async function deleteProgress(db: Database, request: FastifyRequest, key: RatingKey) {
  const stored = await findWorkProgress(db, key)
  if (stored.updated_at === null) return requireMatch(request, db, key, stored)
  await changeProgress(db, key, callerOf(request).clientId, async (current, trx) => {
    await requireMatch(request, trx, key, current)
    return withAllowedNote(request, BLANK_PROGRESS)
  })
}

const withAllowedNote = (request: FastifyRequest, change: ProgressChange): ProgressChange =>
  mayUseNotes(request) ? change : withoutNote(change)

async function responseOf(
  request: FastifyRequest,
  db: Database,
  key: RatingKey,
  progress: WorkProgress,
) {
  const totals = await findVolumeTotals(db, [key.workId])
  return toProgressResponse(key, progress, {
    volumesTotal: totals.get(key.workId),
    hasNote: mayUseNotes(request),
  })
}

const etagOfResponse = (response: object) => etagOf(JSON.stringify(response))

const send = (request: FastifyRequest, reply: FastifyReply, response: object) =>
  sendEnvelope(request, reply.header('etag', etagOfResponse(response)), response)

/** @throws {ApiError} 412 if the request has an `If-Match` that the stored progress does not match */
async function requireMatch(
  request: FastifyRequest,
  db: Database,
  key: RatingKey,
  stored: WorkProgress,
): Promise<void> {
  const condition = request.headers['if-match']
  if (condition === undefined) return
  // `*` requires that progress exists, and a weak validator never matches (RFC 9110 §13.1.1).
  if (condition.trim() === '*' && stored.updated_at !== null) return
  const strong = condition
    .split(',')
    .filter((tag) => tag.trim().startsWith('"'))
    .join(',')
  const response = await responseOf(request, db, key, stored)
  if (!matchesEtag(strong, etagOfResponse(response))) throw progressChanged()
}
