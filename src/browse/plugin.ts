import type { FastifyInstance } from 'fastify'
import { OpenCoverDto } from '../catalog/schemas.ts'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/path-families.ts'
import { EntryPage } from './lists/schemas.ts'
import { EntrySummary } from './summary.ts'
import { tagRoutes } from './tags/routes.ts'
import { ListedTag } from './tags/schemas.ts'

/** Ways through the catalog beside its entries' own addresses (decision 0017). */
export async function browse(app: FastifyInstance, { db }: { db: Database }) {
  addSchemas(app, [OpenCoverDto, EntrySummary, EntryPage, ListedTag])
  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => tagRoutes(scope, db))
}
