import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { seesNsfw } from '../../catalog/visibility.ts'
import type { Database } from '../../db/database.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Paged, PageQuery, paged, pageOfCollection } from '../../http/wire/requests/paging.ts'
import { notOneOf } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { hasTimeToFinish, SUB_SCORES } from '../fields.ts'
import { REVIEW_OPERATION, sendWorkResponse } from '../send-work-response.ts'
import { findReviews } from './queries.ts'
import { REVIEW_ORDERS, REVIEWS, ReviewsFilter } from './schemas.ts'

type ReviewRoutes = { app: FastifyInstance; db: Database; origin: string }
type Request = { Params: { id: string }; Querystring: PageQuery & ReviewsFilter }

/** Registers the routes of a work's public reviews (decision 0013). */
export function reviewRoutes({ app, db, origin }: ReviewRoutes) {
  for (const kind of WORK_KINDS) {
    const { path, singular } = KINDS[kind]
    app.get<Request>(
      `/${path}/:id/rates`,
      documentedRoute({
        ...REVIEW_OPERATION,
        operationId: `list${singular}Reviews`,
        summary: 'Public reviews of a work',
        querystring: Type.Object({ ...ReviewsFilter.properties, ...PageQuery.properties }),
        success: { 200: Envelope(Paged(Ref(REVIEWS[kind]))) },
        example: paged([exampleOf(kind)], { page: 1, pageSize: 10 }, 1),
        faults: { badSort: notOneOf('sort', REVIEW_ORDERS) },
      }),
      async (request, reply) => {
        const id = parseId(request.params.id)
        const { sort: order = 'newest', spoilers = false } = request.query
        const page = pageOfCollection(request.query)
        const found = await findReviews(db, kind, id, { order, spoilers, page, origin })
        const data = found && { nsfw: found.nsfw, data: paged(found.items, page, found.total) }
        return sendWorkResponse(request, reply, { db, kind, id, seesNsfw: seesNsfw(request) }, data)
      },
    )
  }
}

const exampleOf = (kind: WorkKind) => ({
  id: 7,
  created_at: '2026-11-21T08:00:00.000Z',
  updated_at: '2026-11-21T09:00:00.000Z',
  user: { id: 12, name: 'Nagisa', picture: null },
  status: 'COMPLETED',
  rate: 8.5,
  ...Object.fromEntries(SUB_SCORES[kind].map((name, index) => [name, index === 0 ? 9 : null])),
  rate_content: 'A quiet ending.',
  is_spoiler: false,
  like_count: 3,
  dislike_count: 0,
  ...(hasTimeToFinish(kind) && { time_to_finish_minutes: 1_260 }),
})
