import type { CatalogApp } from '../catalog-app.ts'
import { entryRoutes } from '../entry-routes.ts'
import { listRoute } from '../list-routes.ts'
import * as examples from './examples.ts'
import {
  galgameCharactersSql,
  galgameDetail,
  galgameDevelopersSql,
  galgameProducersSql,
  galgameRelationsSql,
  galgameStaffSql,
} from './queries.ts'
import {
  Galgame,
  GalgameStaffEntry,
  GalgameCharacterEntry,
  GalgameProducerEntry,
  GalgameDeveloperEntry,
  GalgameRelationEntry,
} from './schemas.ts'

/** `galgames/**` (§4.1) and what decision 0002 adds. */
export function galgameRoutes(app: CatalogApp) {
  const kind = 'galgame'

  entryRoutes(app, kind, { schema: Galgame, statement: galgameDetail, example: examples.GALGAME_EXAMPLE })

  listRoute(app, {
    kind,
    name: 'staff',
    summary: 'Who made a galgame',
    schema: GalgameStaffEntry,
    list: galgameStaffSql,
    example: examples.GALGAME_STAFF_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'characters',
    summary: 'Characters of a galgame and their voice actors',
    schema: GalgameCharacterEntry,
    list: galgameCharactersSql,
    example: examples.GALGAME_CHARACTERS_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'producers',
    summary: 'Developers, publishers and localizers of a galgame',
    schema: GalgameProducerEntry,
    list: galgameProducersSql,
    example: examples.GALGAME_PRODUCERS_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'developers',
    summary: 'Developers of a galgame',
    schema: GalgameDeveloperEntry,
    list: galgameDevelopersSql,
    example: examples.GALGAME_DEVELOPERS_EXAMPLE,
  })

  listRoute(app, {
    kind,
    name: 'relations',
    summary: 'Galgames that belong to a galgame',
    schema: GalgameRelationEntry,
    list: galgameRelationsSql,
    example: examples.GALGAME_RELATIONS_EXAMPLE,
  })
}
