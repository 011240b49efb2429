import type { FastifyInstance } from 'fastify'
import { addSchemas } from '../http/wire/requests/compilers.ts'
import { CATALOG_PREFIXES, onBothFamilies } from '../http/wire/addresses/path-families.ts'
import { AttributedSource, attributionRoute } from './attribution/routes.ts'
import { changeRoutes } from './changes/routes.ts'
import type { CatalogApp } from './catalog-app.ts'
import { CatalogChange, CatalogChanges } from './changes/schemas.ts'
import { ENTRIES } from './entries/entries.ts'
import { entryRoutes } from './entries/entry-routes.ts'
import { OpenGalgamePriceDto, OpenSteamAppDto } from './fields/galgame.ts'
import { OpenMangaEditionDto } from './fields/manga.ts'
import { ENTRY_KINDS, isWorkKind } from './kinds.ts'
import { listRoute } from './entries/list-routes.ts'
import { RelatedGalgame } from './lists/galgame.ts'
import { WORK_LISTS } from './lists/work-lists.ts'
import { SHARED_SCHEMAS } from './schemas.ts'

/** Registers the public catalog API (§4.1). */
export async function catalog(app: FastifyInstance, options: Omit<CatalogApp, 'app'>) {
  const schemas = [
    ...SHARED_SCHEMAS,
    OpenGalgamePriceDto,
    OpenSteamAppDto,
    RelatedGalgame,
    OpenMangaEditionDto,
    ...Object.values(ENTRIES).map(({ schema }) => schema),
    ...Object.values(WORK_LISTS).flatMap((lists) =>
      Object.values(lists).map(({ schema }) => schema),
    ),
    CatalogChange,
    CatalogChanges,
    AttributedSource,
    ...options.lists.schemas,
  ]
  addSchemas(app, schemas)

  await onBothFamilies(app, CATALOG_PREFIXES, (scope) => {
    const catalogApp = { app: scope, ...options }
    for (const kind of ENTRY_KINDS) {
      entryRoutes(catalogApp, kind, ENTRIES[kind])
      if (!isWorkKind(kind)) continue
      for (const [name, list] of Object.entries(WORK_LISTS[kind]))
        listRoute(catalogApp, kind, name, list)
    }
    changeRoutes(catalogApp)
    attributionRoute(catalogApp)
  })
}
