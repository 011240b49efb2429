import type { FastifyInstance } from 'fastify'
import { OpenCoverDto } from '../catalog/schemas.ts'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/addresses/path-families.ts'
import { searchRoutes } from './routes.ts'
import { SEARCH_SCHEMAS } from './schemas.ts'
import type { Searcher } from './search.ts'

/** Registers the search API (decision 0016). */
export async function search(app: FastifyInstance, searcher: Searcher) {
  addSchemas(app, [OpenCoverDto, ...SEARCH_SCHEMAS])
  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => searchRoutes(scope, searcher))
}
