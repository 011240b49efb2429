import type { FastifyInstance } from 'fastify'
import { OpenCoverDto, OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import type { Reads } from '../db/replicas/reads.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/addresses/path-families.ts'
import { backLinkRoutes } from './back-links/routes.ts'
import { BACK_LINK_SCHEMAS } from './back-links/schemas.ts'
import { EntryPage, EntrySummary } from './summary.ts'
import { lookupRoute } from './lookup/routes.ts'
import { LOOKUP_SCHEMAS } from './lookup/schemas.ts'
import { tagRoutes } from './tags/routes.ts'
import { ListedTag } from './tags/schemas.ts'

/** Registers tags, back links and lookup (decisions 0017 and 0018). */
export async function browse(app: FastifyInstance, { db }: { db: Reads }) {
  addSchemas(app, [
    OpenMediaDto,
    OpenCoverDto,
    OpenEntityRefDto,
    EntrySummary,
    EntryPage,
    ListedTag,
    ...BACK_LINK_SCHEMAS,
    ...LOOKUP_SCHEMAS,
  ])

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    tagRoutes(scope, db)
    backLinkRoutes(scope, db)
    lookupRoute(scope, db)
  })
}
