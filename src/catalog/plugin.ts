import type { FastifyInstance } from 'fastify'
import type { Database } from '../db/database.ts'
import { addSchemas } from '../http/wire/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/path-families.ts'
import type { EntryLists } from './entry-list.ts'
import type { ResponseCache } from './response-cache.ts'
import { attributionRoute } from './attribution/routes.ts'
import { AttributedSource } from './attribution/schemas.ts'
import { changeRoutes } from './changes/routes.ts'
import { CatalogChange, CatalogChanges } from './changes/schemas.ts'
import { Character, characterRoutes } from './characters.ts'
import { galgameRoutes } from './galgames/routes.ts'
import { GALGAME_SCHEMAS } from './galgames/schemas.ts'
import { lightNovelRoutes } from './light-novels/routes.ts'
import { LIGHT_NOVEL_SCHEMAS } from './light-novels/schemas.ts'
import { mangaRoutes } from './mangas/routes.ts'
import { MANGA_SCHEMAS } from './mangas/schemas.ts'
import { Person, personRoutes } from './people.ts'
import { Producer, producerRoutes } from './producers.ts'
import { SHARED_SCHEMAS } from './schemas.ts'

export type CatalogOptions = { db: Database; cache: ResponseCache; baseUrl: string; lists: EntryLists }

/** The public catalog (§4.1). */
export async function catalog(app: FastifyInstance, options: CatalogOptions) {
  const schemas = [
    ...SHARED_SCHEMAS,
    ...GALGAME_SCHEMAS,
    ...LIGHT_NOVEL_SCHEMAS,
    ...MANGA_SCHEMAS,
    Person,
    Producer,
    Character,
    CatalogChange,
    CatalogChanges,
    AttributedSource,
    ...options.lists.schemas,
  ]
  addSchemas(app, schemas)

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    const catalogApp = { app: scope, ...options }
    galgameRoutes(catalogApp)
    lightNovelRoutes(catalogApp)
    mangaRoutes(catalogApp)
    personRoutes(catalogApp)
    producerRoutes(catalogApp)
    characterRoutes(catalogApp)
    changeRoutes(catalogApp)
    attributionRoute(catalogApp)
  })
}
