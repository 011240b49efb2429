import type { FastifyInstance } from 'fastify'
import { OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/compilers.ts'
import { CATALOG_PREFIXES, USER_PREFIXES } from '../http/wire/path-families.ts'
import { itemRoutes } from './item-routes.ts'
import { publicCollectionRoutes } from './public-routes.ts'
import { collectionRoutes } from './routes.ts'
import { COLLECTION_SCHEMAS } from './schemas.ts'

/** Lists of works that readers keep, and show unless they are private (decision 0014). */
export async function collections(app: FastifyInstance, { db }: { db: Database }) {
  addSchemas(app, [OpenMediaDto, OpenEntityRefDto, ...COLLECTION_SCHEMAS])

  for (const prefix of USER_PREFIXES) {
    const own = { app, db, path: `${prefix}/collections`, documented: prefix === USER_PREFIXES[0] }
    collectionRoutes(own)
    itemRoutes(own)
  }
  for (const prefix of CATALOG_PREFIXES)
    publicCollectionRoutes({ app, db, prefix, documented: prefix === CATALOG_PREFIXES[0] })
}
