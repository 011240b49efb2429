import { Type } from 'typebox'
import { MAX_IDS } from '../../catalog/ids.ts'
import { ENTRY_KINDS } from '../../catalog/kinds.ts'
import { Id, Named, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'
import { EntrySummary } from '../summary.ts'
import { ID_KINDS, SITE_NAMES } from '../../sources/registry.ts'

/** An entry found by an external id. */
const LookupItem = Named('LookupItem', {
  source: StringEnum([...SITE_NAMES, 'isbn'], { title: 'LookupItemSource' }),
  id: Type.String({ description: 'Id as requested' }),
  type: StringEnum(ENTRY_KINDS, { title: 'EntryType' }),
  volume_id: Nullable(Id, {
    description: 'Volume with the requested id, if it is the id of a volume',
  }),
  entry: Ref(EntrySummary),
})

export const LookupResult = Named('LookupResult', {
  items: Type.Array(Ref(LookupItem), {
    description:
      'In the requested order. An id that several entries have returns one item per entry.',
  }),
  missing: Type.Array(Type.String(), {
    description: 'Ids without an entry, or with one hidden from the scopes of the token',
  }),
})

/** Named schemas, dependencies first. */
export const LOOKUP_SCHEMAS = [LookupItem, LookupResult]

const several = 'Separated by commas, or as a repeated parameter'

export const LookupQueryParameters = Type.Object(
  {
    source: Type.Optional(StringEnum(SITE_NAMES, { title: 'LookupSource' })),
    id: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_IDS,
        description: `Ids at the source: \`v17\`, \`c7\`, \`p24\`, \`s81\` for VNDB, numbers for the others. ${several}`,
      }),
    ),
    isbn: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: MAX_IDS,
        description: `Instead of \`source\` and \`id\`: ISBN of 10 or 13 digits, with or without hyphens. ${several}`,
      }),
    ),
    type: Type.Optional(
      Type.Array(StringEnum(ID_KINDS, { title: 'LookupKind' }), {
        description:
          'Type of the ids, for sources that number several types separately. Defaults to subjects for Bangumi and to ' +
          `series for RanobeDB. ${several}`,
      }),
    ),
  },
  { style: 'form', explode: false },
)
