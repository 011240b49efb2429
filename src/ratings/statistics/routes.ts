import type { FastifyInstance } from 'fastify'
import type { Reads } from '../../db/replicas/reads.ts'
import { derivedDataRoutes, type DerivedDataAccess } from '../send-work-response.ts'
import { findRatingCounts } from './queries.ts'
import { STATISTICS } from './schemas.ts'
import { EXAMPLE_COUNTS, toStatistics } from './statistics-response.ts'

/** Registers the routes of rating statistics (decision 0013). */
export const statisticsRoutes = (app: FastifyInstance, db: Reads, access: DerivedDataAccess) =>
  derivedDataRoutes(app, db, access, {
    segment: 'statistics',
    name: 'Statistics',
    summary: 'Scores of a work, and its users by status',
    schemaOf: (kind) => STATISTICS[kind],
    exampleOf: (kind) => toStatistics(kind, EXAMPLE_COUNTS),
    async find(kind, workId) {
      const counts = await findRatingCounts(db, kind, workId)
      return counts && toStatistics(kind, counts)
    },
  })
