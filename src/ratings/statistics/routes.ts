import type { FastifyInstance } from 'fastify'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import type { Database } from '../../db/database.ts'
import { operation } from '../../http/document/operation.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { parseId } from '../../http/wire/validation.ts'
import { STATUSES, SUB_SCORES } from '../fields.ts'
import { REVIEWS_OF_WORK, sendOfWork } from '../work-answer.ts'
import { bayesianMean, summarize } from './histogram.ts'
import { findCounts, type FoundCounts } from './queries.ts'
import { STATISTICS } from './schemas.ts'

export type StatisticsRoutes = { app: FastifyInstance; db: Database }

/** Statistics of all records of a work (decision 0013). */
export function statisticsRoutes({ app, db }: StatisticsRoutes) {
  for (const kind of WORK_KINDS) {
    const { path, singular } = KINDS[kind]
    app.get<{ Params: { id: string } }>(
      `/${path}/:id/rates/statistics`,
      {
        config: { access: 'catalog' },
        schema: operation({
          ...REVIEWS_OF_WORK,
          operationId: `get${singular}RatingStatistics`,
          summary: 'How readers score a work, and how far they are with it',
          success: { 200: Envelope(Ref(STATISTICS[kind])) },
          example: statisticsOf(kind, EXAMPLE),
        }),
      },
      async (request, reply) => {
        const id = parseId(request.params.id)
        const found = await findCounts(db, kind, id)
        const data = found && { nsfw: found.nsfw, data: statisticsOf(kind, found) }
        return sendOfWork(request, reply, { db, kind, id }, data)
      },
    )
  }
}

function statisticsOf(kind: WorkKind, { counts, kind_scores }: Pick<FoundCounts, 'counts' | 'kind_scores'>) {
  const scoresOf = (name: string) =>
    counts
      .filter(({ field }) => field === name)
      .map(({ value, amount }) => ({ score: Number(value), amount }))
  const statuses = counts.filter(({ field }) => field === 'status')
  const rates = scoresOf('rate')
  const { total, mean, median, scores } = summarize(rates)
  return {
    statuses: Object.fromEntries(
      STATUSES.map((status) => [status, statuses.find(({ value }) => value === status)?.amount ?? 0]),
    ),
    total,
    mean,
    median,
    bayesian_mean: bayesianMean(rates, kind_scores),
    scores,
    sub_scores: Object.fromEntries(SUB_SCORES[kind].map((name) => [name, summarize(scoresOf(name))])),
  }
}

const EXAMPLE = {
  counts: [
    { field: 'status', value: 'COMPLETED', amount: 2 },
    { field: 'rate', value: '8.5', amount: 1 },
    { field: 'rate', value: '9.0', amount: 1 },
  ],
  kind_scores: { total: 340, sum: 2_516 },
}
