import type { FastifyInstance } from 'fastify'
import { OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { onBothFamilies, USER_PREFIXES } from '../http/wire/addresses/path-families.ts'
import type { ImportQueue } from './lists/imports/import-queue.ts'
import { reviews } from './reviews/plugin.ts'
import { listFiles } from './lists/routes.ts'
import { ratingListRoutes } from './own/lists/list-routes.ts'
import { ratingRoutes } from './own/routes.ts'
import { RATING_SCHEMAS } from './own/schemas.ts'

type RatingsOptions = {
  db: Database
  imports: ImportQueue
  /** Origin of uploaded pictures. */
  authUrl: string
}

/** Registers the routes of users' ratings (§4.3), and of what is public of them. */
export async function ratings(app: FastifyInstance, { db, imports, authUrl }: RatingsOptions) {
  addSchemas(app, [OpenMediaDto, OpenEntityRefDto, ...RATING_SCHEMAS])

  await app.register(reviews, { db, authUrl, imports })
  await onBothFamilies(app, USER_PREFIXES, async (scope, { isFirst }) => {
    const routes = { app: scope, db, isFirst }
    scope.addHook('preHandler', imports.waitForOwn)
    ratingRoutes(routes)
    ratingListRoutes(routes)
    await scope.register(listFiles, { db, imports })
  })
}
