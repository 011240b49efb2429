import type { FastifyInstance } from 'fastify'
import type { CatalogOptions } from '../catalog/plugin.ts'
import { OpenCoverDto, OpenEntityRefDto, OpenMediaDto } from '../catalog/schemas.ts'
import { addSchemas } from '../http/wire/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/path-families.ts'
import { backLinkRoutes } from './back-links/routes.ts'
import { BACK_LINK_SCHEMAS } from './back-links/schemas.ts'
import { lookupRoute } from './lookup/routes.ts'
import { LOOKUP_SCHEMAS } from './lookup/schemas.ts'
import { EntrySummary } from './summary.ts'

/** Ways into the catalog beside ids. */
export async function browse(app: FastifyInstance, options: CatalogOptions) {
  addSchemas(app, [
    OpenMediaDto,
    OpenCoverDto,
    OpenEntityRefDto,
    EntrySummary,
    ...BACK_LINK_SCHEMAS,
    ...LOOKUP_SCHEMAS,
  ])

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    const catalogApp = { app: scope, ...options }
    backLinkRoutes(catalogApp)
    lookupRoute(catalogApp)
  })
}
