import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { operation } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { REVIEW_OPERATION, sendWorkResponse } from '../send-work-response.ts'
import { findRatingCounts } from './queries.ts'
import { STATISTICS } from './schemas.ts'
import { EXAMPLE_COUNTS, toStatistics } from './statistics-response.ts'

export type StatisticsRoutes = { app: FastifyInstance; db: Database }

type One = { Params: { id: string } }

/** Statistics of all records of a work (decision 0013). */
export function statisticsRoutes({ app, db }: StatisticsRoutes) {
  for (const kind of WORK_KINDS)
    app.get<One>(
      pathOf(kind),
      {
        config: { access: 'catalog' },
        schema: operation({
          ...documented(kind),
          operationId: `get${KINDS[kind].singular}RatingStatistics`,
          summary: 'How readers score a work, and how far they are with it',
        }),
      },
      (request, reply) => sendStatistics(request, reply, { db, kind }),
    )
}

/** Statistics routes without a token, for adult works too: statistics reveal nothing about the work itself. */
export function anonymousStatisticsRoutes({ app, db }: StatisticsRoutes) {
  const config = { access: 'anonymous' } as const
  for (const kind of WORK_KINDS)
    app.get<One>(
      pathOf(kind),
      {
        config,
        schema: operation({
          ...documented(kind),
          ...config,
          operationId: `get${KINDS[kind].singular}RatingStatisticsAnonymously`,
          summary: 'The same without a token; requests are counted by client address',
        }),
      },
      (request, reply) => sendStatistics(request, reply, { db, kind }),
    )
}

const pathOf = (kind: WorkKind) => `/${KINDS[kind].path}/:id/rates/statistics`

const documented = (kind: WorkKind) => ({
  ...REVIEW_OPERATION,
  success: { 200: Envelope(Ref(STATISTICS[kind])) },
  example: toStatistics(kind, EXAMPLE_COUNTS),
})

async function sendStatistics(
  request: FastifyRequest<One>,
  reply: FastifyReply,
  work: { db: Database; kind: WorkKind },
) {
  const id = parseId(request.params.id)
  const found = await findRatingCounts(work.db, work.kind, id)
  const data = found && { nsfw: false, data: toStatistics(work.kind, found) }
  return sendWorkResponse(request, reply, { ...work, id }, data)
}
