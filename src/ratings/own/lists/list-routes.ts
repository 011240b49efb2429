import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS } from '../../../catalog/kinds.ts'
import { documentedRoute } from '../../../http/document/operation.ts'
import { Paged, PageQuery, paged, pageOfCollection } from '../../../http/wire/requests/paging.ts'
import { notOneOf } from '../../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../../http/wire/schemas.ts'
import { sendEnvelope, sendEnvelopeJson } from '../../../http/wire/errors/send-envelope.ts'
import { callerOf } from '../../../http/admission/access.ts'
import { accountOf } from '../../../http/admission/user-guard.ts'
import { parseId } from '../../../http/wire/requests/validation.ts'
import { STATUSES } from '../../fields.ts'
import { READ_RATINGS, WORK_OPERATION } from '../documentation.ts'
import { mayUseNotes, NOTES_SCOPE } from '../../progress/note-access.ts'
import { listRatingHistory } from '../history-queries.ts'
import { badWalkCursor, ratingPage } from './rating-pages.ts'
import type { RatingRoutes } from '../routes.ts'
import { RatingHistoryEntry, RatingsFilter, RatingsPage } from '../schemas.ts'
import { toHistoryResponse } from '../rating-response.ts'

export function ratingListRoutes({ app, db, isDistributed }: RatingRoutes) {
  app.get<{ Querystring: PageQuery & RatingsFilter & { cursor?: string; include?: string } }>(
    '/rates',
    documentedRoute({
      ...READ_RATINGS,
      operationId: 'listRatings',
      summary: 'Your ratings, last changed first',
      description:
        'The first page fixes the order of all ratings. Later pages of the same app keep it for half an hour, and cursors for an hour, so ratings that change between two requests are neither repeated nor skipped.',
      querystring: Type.Object({
        ...RatingsFilter.properties,
        ...PageQuery.properties,
        cursor: Type.Optional(
          Type.String({ description: '`next_cursor` of a page, instead of `page`' }),
        ),
        include: Type.Optional(
          Type.Literal('progress', {
            description: `Adds your progress to each rating, with private notes if the token has the scope \`${NOTES_SCOPE}\``,
          }),
        ),
      }),
      success: { 200: Envelope(RatingsPage) },
      faults: { badStatus: notOneOf('status', STATUSES), badCursor: badWalkCursor() },
    }),
    async (request, reply) => {
      const { clientId } = callerOf(request)
      const key = { accountId: accountOf(request), clientId, filter: request.query }
      const options = { notes: mayUseNotes(request), isDistributed }
      const json = await ratingPage(db, key, request.query, options)
      return sendEnvelopeJson(request, reply, json)
    },
  )

  const history = {
    ...READ_RATINGS,
    description: `Changes of private notes require the scope \`${NOTES_SCOPE}\`. Their texts are erased after two hours.`,
    querystring: PageQuery,
    success: { 200: Envelope(Paged(Ref(RatingHistoryEntry))) },
  }
  const historyPage = async (
    request: FastifyRequest<{ Querystring: PageQuery }>,
    work?: Parameters<typeof listRatingHistory>[2],
  ) => {
    const page = pageOfCollection(request.query)
    const { entries, total } = await listRatingHistory(db, accountOf(request), work, page)
    const hasNotes = mayUseNotes(request)
    return paged(
      entries.map((entry) => toHistoryResponse(entry, hasNotes)),
      page,
      total,
    )
  }

  app.get<{ Querystring: PageQuery }>(
    '/rates/history',
    documentedRoute({
      ...history,
      operationId: 'listRatingHistory',
      summary: 'Changes to your ratings, newest first',
    }),
    async (request, reply) => sendEnvelope(request, reply, await historyPage(request)),
  )

  for (const kind of WORK_KINDS)
    app.get<{ Querystring: PageQuery; Params: { id: string } }>(
      `/rates/${KINDS[kind].path}/:id/history`,
      documentedRoute({
        ...history,
        operationId: `list${KINDS[kind].plural}RatingHistory`,
        summary: 'Changes to your rating of a work, newest first',
        params: WORK_OPERATION.params,
      }),
      async (request, reply) => {
        const work = { kind, workId: parseId(request.params.id) }
        return sendEnvelope(request, reply, await historyPage(request, work))
      },
    )
}
