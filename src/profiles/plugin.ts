import type { FastifyInstance } from 'fastify'
import { OpenCoverDto, OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import { COLLECTION_SCHEMAS } from '../collections/schemas.ts'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import {
  CATALOG_PREFIXES,
  onBothFamilies,
  USER_PREFIXES,
} from '../http/wire/addresses/path-families.ts'
import { publicProfileRoutes } from './routes.ts'
import { PROFILE_SCHEMAS } from './schemas.ts'
import { profileSettingsRoutes } from './settings-routes.ts'

/** Registers the routes of public profiles (decision 0023). */
export async function publicProfiles(
  app: FastifyInstance,
  { db, authUrl }: { db: Database; authUrl: string },
) {
  addSchemas(app, [
    OpenMediaDto,
    OpenCoverDto,
    OpenEntityRefDto,
    ...COLLECTION_SCHEMAS,
    ...PROFILE_SCHEMAS,
  ])
  await onBothFamilies(app, USER_PREFIXES, (scope) => profileSettingsRoutes(scope, db))
  await onBothFamilies(app, CATALOG_PREFIXES, (scope) =>
    publicProfileRoutes({ app: scope, db, authUrl }),
  )
}
