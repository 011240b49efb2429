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
import { keywordRoutes } from '../keywords/routes.ts'
import { KEYWORD_SCHEMAS } from '../keywords/schemas.ts'
import type { ImportQueue } from '../lists/imports/import-queue.ts'
import { statisticsRoutes } from '../statistics/routes.ts'
import { STATISTICS } from '../statistics/schemas.ts'
import { reviewRoutes } from './routes.ts'
import { REVIEWS, ReviewVote } from './schemas.ts'
import { voteRoutes } from './vote-routes.ts'

/** Registers what is public of ratings: reviews, votes, statistics and keywords (decision 0013). */
export async function reviews(
  app: FastifyInstance,
  { db, authUrl, imports }: { db: Database; authUrl: string; imports: ImportQueue },
) {
  addSchemas(app, [
    ...Object.values(REVIEWS),
    ...Object.values(STATISTICS),
    ...KEYWORD_SCHEMAS,
    ReviewVote,
  ])
  const findKeywords = keywordCache(db)

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    reviewRoutes({ app: scope, db, origin: authUrl })
    statisticsRoutes(scope, db, 'catalog')
    keywordRoutes(scope, db, 'catalog', findKeywords)
  })
  await app.register(
    async (scope) => {
      statisticsRoutes(scope, db, 'anonymous')
      keywordRoutes(scope, db, 'anonymous', findKeywords)
    },
    { prefix: ANONYMOUS_PREFIX },
  )
  await onBothFamilies(app, USER_PREFIXES, (scope) => {
    scope.addHook('preHandler', imports.waitForOwn)
    voteRoutes({ app: scope, db })
  })
}
