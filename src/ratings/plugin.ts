import type { FastifyInstance } from 'fastify'
import { OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import type { Database } from '../db/database.ts'
import { isDistributed } from '../db/sharding/distribute.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import {
  ANONYMOUS_PREFIX,
  CATALOG_PREFIXES,
  onBothFamilies,
  USER_PREFIXES,
} from '../http/wire/addresses/path-families.ts'
import { keywordCache } from './keywords/keywords.ts'
import { KEYWORD_SCHEMAS, keywordRoutes } from './keywords/routes.ts'
import type { ImportQueue } from './lists/imports/import-queue.ts'
import { listFiles } from './lists/routes.ts'
import { ratingListRoutes } from './own/lists/list-routes.ts'
import { ratingRoutes } from './own/routes.ts'
import { RATING_SCHEMAS } from './own/schemas.ts'
import { ratingWrites } from './own/shared-writes.ts'
import { progressRoutes } from './progress/routes.ts'
import { PROGRESS_SCHEMAS } from './progress/schemas.ts'
import { reviewRoutes } from './reviews/routes.ts'
import { REVIEWS, ReviewVote } from './reviews/schemas.ts'
import { voteRoutes } from './reviews/vote-routes.ts'
import { statisticsRoutes } from './statistics/routes.ts'
import { STATISTICS } from './statistics/schemas.ts'

type RatingsOptions = { db: Database; reads: Reads; imports: ImportQueue; authUrl: string }

/** Registers the routes of users' ratings (§4.3) and of the public data derived from them (decision 0013). */
export async function ratings(
  app: FastifyInstance,
  { db, reads, imports, authUrl }: RatingsOptions,
) {
  addSchemas(app, [
    OpenMediaDto,
    OpenEntityRefDto,
    ...RATING_SCHEMAS,
    ...PROGRESS_SCHEMAS,
    ...Object.values(REVIEWS),
    ...Object.values(STATISTICS),
    ...KEYWORD_SCHEMAS,
    ReviewVote,
  ])
  const findKeywords = keywordCache(reads)
  const distributed = await isDistributed(db)
  const save = ratingWrites(db, distributed)

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    reviewRoutes({ app: scope, db, origin: authUrl })
    statisticsRoutes(scope, reads, 'catalog')
    keywordRoutes(scope, reads, 'catalog', findKeywords)
  })
  await app.register(
    async (scope) => {
      statisticsRoutes(scope, reads, 'anonymous')
      keywordRoutes(scope, reads, 'anonymous', findKeywords)
    },
    { prefix: ANONYMOUS_PREFIX },
  )
  await onBothFamilies(app, USER_PREFIXES, async (scope, { isFirst }) => {
    const routes = { app: scope, db, save, isDistributed: distributed, isFirst }
    scope.addHook('preHandler', imports.waitForOwn)
    voteRoutes(routes)
    ratingRoutes(routes)
    ratingListRoutes(routes)
    progressRoutes(routes)
    await scope.register(listFiles, { db, imports })
  })
}
