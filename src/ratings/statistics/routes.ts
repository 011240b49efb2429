import type { FastifyInstance } from 'fastify'
import { KINDS, WORK_KINDS } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/requests/validation.ts'
import { REVIEW_OPERATION, sendWorkResponse, WITHOUT_TOKEN } from '../send-work-response.ts'
import { findRatingCounts } from './queries.ts'
import { STATISTICS } from './schemas.ts'
import { EXAMPLE_COUNTS, toStatistics } from './statistics-response.ts'

/**
 * Registers the routes of rating statistics (decision 0013). Statistics of adult works are public too, because they
 * reveal nothing about the work itself.
 */
export function statisticsRoutes(
  app: FastifyInstance,
  db: Database,
  access: 'catalog' | 'anonymous',
) {
  for (const kind of WORK_KINDS) {
    const operationId = `get${KINDS[kind].singular}RatingStatistics`
    app.get<{ Params: { id: string } }>(
      `/${KINDS[kind].path}/:id/rates/statistics`,
      documentedRoute({
        ...REVIEW_OPERATION,
        access,
        success: { 200: Envelope(Ref(STATISTICS[kind])) },
        example: toStatistics(kind, EXAMPLE_COUNTS),
        ...(access === 'anonymous'
          ? { operationId: `${operationId}Anonymously`, summary: WITHOUT_TOKEN }
          : { operationId, summary: 'How users score a work, and how far they are with it' }),
      }),
      async (request, reply) => {
        const id = parseId(request.params.id)
        const found = await findRatingCounts(db, kind, id)
        const data = found && { nsfw: false, data: toStatistics(kind, found) }
        return sendWorkResponse(request, reply, { db, kind, id }, data)
      },
    )
  }
}
