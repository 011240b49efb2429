import { Type } from 'typebox'
import { MAX_IDS } from '../../catalog/ids.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { Id, Named, Ref, StringEnum } from '../../http/wire/schemas.ts'
import { EntrySummary } from '../summary.ts'
import { ID_KINDS, SITE_NAMES } from '../../sources/registry.ts'

/** An entry that was found by an id of elsewhere. */
const LookupItem = Named('LookupItem', {
  source: StringEnum([...SITE_NAMES, 'isbn'], { title: 'LookupItemSource' }),
  id: Type.String({ description: 'As it was asked for' }),
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  volume_id: Type.Union([Id, Type.Null()], { description: 'The id is of this volume of it' }),
  entry: Ref(EntrySummary),
})

export const LookupResult = Named('LookupResult', {
  items: Type.Array(Ref(LookupItem), {
    description:
      'In the order asked for; an id that stands for several entries has an item for each',
  }),
  missing: Type.Array(Type.String(), {
    description: 'No entry has them, or it is hidden from this scope',
  }),
})

/** In the order in which they refer to each other. */
export const LOOKUP_SCHEMAS = [LookupItem, LookupResult]

const several = 'Separated by commas, or the parameter several times'

export const LookupQueryParameters = Type.Object(
  {
    source: Type.Optional(StringEnum(SITE_NAMES, { title: 'LookupSource' })),
    id: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_IDS,
        description: `Ids of the source: \`v17\`, \`c7\`, \`p24\`, \`s81\` of VNDB, else numbers. ${several}`,
      }),
    ),
    isbn: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_IDS,
        description: `In place of source and id: ISBN of 10 or 13 digits, with hyphens or without. ${several}`,
      }),
    ),
    type: Type.Optional(
      Type.Array(StringEnum(ID_KINDS, { title: 'LookupKind' }), {
        description:
          'What the ids are of, where a source counts several things from 1: of Bangumi they are of subjects without it, ' +
          `of RanobeDB of series. ${several}`,
      }),
    ),
  },
  { style: 'form', explode: false },
)
