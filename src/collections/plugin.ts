import type { FastifyInstance } from 'fastify'
import { OpenCoverDto, OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import {
  CATALOG_PREFIXES,
  onBothFamilies,
  USER_PREFIXES,
} from '../http/wire/addresses/path-families.ts'
import { itemRoutes } from './items/item-routes.ts'
import { publicCollectionRoutes } from './public-routes.ts'
import { collectionRoutes } from './routes.ts'
import { COLLECTION_SCHEMAS } from './schemas.ts'

/** Registers the routes of users' collections of works (decision 0014). */
export async function collections(
  app: FastifyInstance,
  { db, apiUrl, authUrl }: { db: Database; apiUrl: string; authUrl: string },
) {
  addSchemas(app, [OpenMediaDto, OpenCoverDto, OpenEntityRefDto, ...COLLECTION_SCHEMAS])

  await onBothFamilies(app, USER_PREFIXES, (scope, { prefix }) => {
    const own = { app: scope, db, apiUrl, prefix }
    collectionRoutes(own)
    itemRoutes(own)
  })
  await onBothFamilies(app, CATALOG_PREFIXES, (scope) =>
    publicCollectionRoutes({ app: scope, db, authUrl }),
  )
}
