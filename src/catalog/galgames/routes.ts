import { StringEnum } from '../../http/wire/schemas.ts'
import { batchRoute } from '../batch.ts'
import * as examples from '../examples.ts'
import { detailRoute, listRoute, type CatalogApp } from '../routes.ts'
import { CHARACTER_ROLES, GALGAME_PRODUCER_ROLES, STAFF_ROLES } from '../enums.ts'
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

/** `galgames/**` (§4.1) and what decision 0002 adds. */
export function galgameRoutes(app: CatalogApp) {
  const of = { kind: 'galgame', tag: 'Galgames' } as const

  detailRoute(app, {
    ...of,
    operationId: 'getGalgame',
    url: '/galgames/:id',
    summary: 'A galgame',
    example: examples.GALGAME,
    data: Galgame,
    sql: GALGAME_DETAIL,
  })

  batchRoute(app, {
    ...of,
    operationId: 'getGalgames',
    url: '/galgames',
    summary: 'Several galgames by id',
    example: examples.GALGAME,
    data: Galgame,
    sql: GALGAME_DETAIL,
  })

  listRoute(app, {
    ...of,
    operationId: 'listGalgameStaff',
    url: '/galgames/:id/staff',
    summary: 'Who made a galgame',
    example: examples.GALGAME_STAFF,
    entry: GalgameStaffEntry,
    sql: GALGAME_STAFF,
    filter: { name: 'role', schema: StringEnum(STAFF_ROLES) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listGalgameCharacters',
    url: '/galgames/:id/characters',
    summary: 'Characters of a galgame and their voice actors',
    example: examples.GALGAME_CHARACTERS,
    entry: GalgameCharacterEntry,
    sql: GALGAME_CHARACTERS,
    filter: { name: 'role', schema: StringEnum(CHARACTER_ROLES) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listGalgameProducers',
    url: '/galgames/:id/producers',
    summary: 'Developers, publishers and localizers of a galgame',
    example: examples.GALGAME_PRODUCERS,
    entry: GalgameProducerEntry,
    sql: GALGAME_PRODUCERS,
    filter: { name: 'role', schema: StringEnum(GALGAME_PRODUCER_ROLES) },
  })

  listRoute(app, {
    ...of,
    operationId: 'listGalgameDevelopers',
    url: '/galgames/:id/developers',
    summary: 'Developers of a galgame',
    example: examples.GALGAME_DEVELOPERS,
    entry: GalgameProducerEntry,
    sql: GALGAME_PRODUCERS,
    fixedFilter: () => 'DEVELOPER',
  })

  listRoute(app, {
    ...of,
    operationId: 'listGalgameRelations',
    url: '/galgames/:id/relations',
    summary: 'Galgames that belong to a galgame',
    example: examples.GALGAME_RELATIONS,
    entry: GalgameRelationEntry,
    sql: GALGAME_RELATIONS,
    fixedFilter: (seesNsfw) => (seesNsfw ? null : 'sfw'),
  })
}
