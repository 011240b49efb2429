import type { FastifyInstance } from 'fastify'
import type { Database } from '../../db/database.ts'
import { addSchemas } from '../../http/wire/requests/compilers.ts'
import {
  ANONYMOUS_PREFIX,
  CATALOG_PREFIXES,
  onBothFamilies,
  USER_PREFIXES,
} from '../../http/wire/addresses/path-families.ts'
import { keywordCache } from '../keywords/keyword-cache.ts'
import { anonymousKeywordRoutes, keywordRoutes } from '../keywords/routes.ts'
import { KEYWORD_SCHEMAS } from '../keywords/schemas.ts'
import type { ImportQueue } from '../lists/imports/import-queue.ts'
import { anonymousStatisticsRoutes, statisticsRoutes } from '../statistics/routes.ts'
import { STATISTICS } from '../statistics/schemas.ts'
import { reviewRoutes } from './routes.ts'
import { REVIEWS, ReviewVote } from './schemas.ts'
import { voteRoutes } from './vote-routes.ts'

export type ReviewsOptions = { db: Database; authUrl: string; imports: ImportQueue }

/** What everybody may read of what readers record, and their votes on it (decision 0013). */
export async function reviews(app: FastifyInstance, { db, authUrl, imports }: ReviewsOptions) {
  addSchemas(app, [
    ...Object.values(REVIEWS),
    ...Object.values(STATISTICS),
    ...KEYWORD_SCHEMAS,
    ReviewVote,
  ])
  const findKeywords = keywordCache(db)

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    reviewRoutes({ app: scope, db, origin: authUrl })
    statisticsRoutes({ app: scope, db })
    keywordRoutes({ app: scope, db, findKeywords })
  })
  await app.register(
    async (scope) => {
      anonymousStatisticsRoutes({ app: scope, db })
      anonymousKeywordRoutes({ app: scope, db, findKeywords })
    },
    { prefix: ANONYMOUS_PREFIX },
  )
  await onBothFamilies(app, USER_PREFIXES, (scope) => {
    scope.addHook('preHandler', imports.waitForOwn)
    voteRoutes({ app: scope, db })
  })
}
