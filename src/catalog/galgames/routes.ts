import { StringEnum } from '../../http/schemas.ts'
import { detailRoute, listRoute, type CatalogApp } from '../routes.ts'
import { CHARACTER_ROLES, GALGAME_PRODUCER_ROLES, STAFF_ROLES } from '../values.ts'
import {
  GALGAME_CHARACTERS,
  GALGAME_DETAIL,
  GALGAME_PRODUCERS,
  GALGAME_RELATIONS,
  GALGAME_STAFF,
} from './queries.ts'
import {
  Galgame,
  GalgameCharacterEntry,
  GalgameProducerEntry,
  GalgameRelationEntry,
  GalgameStaffEntry,
} from './schemas.ts'

/** `galgames/**` (§4.1) and what decisions §6 adds. */
export function galgameRoutes(app: CatalogApp) {
  const of = { kind: 'galgame', tag: 'Galgames' } as const

  detailRoute(app, { ...of, url: '/galgames/:id', summary: 'A galgame', data: Galgame, sql: GALGAME_DETAIL })

  listRoute(app, {
    ...of,
    url: '/galgames/:id/staff',
    summary: 'Who made a galgame',
    entry: GalgameStaffEntry,
    sql: GALGAME_STAFF,
    filter: { name: 'role', schema: StringEnum(STAFF_ROLES) },
  })

  listRoute(app, {
    ...of,
    url: '/galgames/:id/characters',
    summary: 'Characters of a galgame and their voice actors',
    entry: GalgameCharacterEntry,
    sql: GALGAME_CHARACTERS,
    filter: { name: 'role', schema: StringEnum(CHARACTER_ROLES) },
  })

  listRoute(app, {
    ...of,
    url: '/galgames/:id/producers',
    summary: 'Developers, publishers and localizers of a galgame',
    entry: GalgameProducerEntry,
    sql: GALGAME_PRODUCERS,
    filter: { name: 'role', schema: StringEnum(GALGAME_PRODUCER_ROLES) },
  })

  listRoute(app, {
    ...of,
    url: '/galgames/:id/developers',
    summary: 'Developers of a galgame',
    entry: GalgameProducerEntry,
    sql: GALGAME_PRODUCERS,
    fixedFilter: () => 'DEVELOPER',
  })

  listRoute(app, {
    ...of,
    url: '/galgames/:id/relations',
    summary: 'Galgames that belong to a galgame',
    entry: GalgameRelationEntry,
    sql: GALGAME_RELATIONS,
    fixedFilter: (seesNsfw) => (seesNsfw ? null : 'sfw'),
  })
}
