import { Type } from 'typebox'
import { CHARACTER_ROLES } from '../../catalog/enums.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { Enum, OpenEntityRefDto } from '../../catalog/schemas.ts'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { Named, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'
import { EntrySummary } from '../summary.ts'

const type = StringEnum(WORK_KINDS, { title: 'WorkKind' })
const note = Type.String({ description: "'' if empty" })

const item = { work: Ref(EntrySummary) }

const PersonWorkRole = Named('PersonWorkRole', {
  role: Nullable(Type.String(), {
    description:
      'Role as in the list of the work, in upper case: `SCENARIO`, `AUTHOR`, `ILLUSTRATOR` …; `VOICE` for voice actors',
  }),
  credited_as: Nullable(Type.String(), {
    description: 'Name credited in the work, or null if it is the main name',
  }),
  note,
  character: Nullable(Ref(OpenEntityRefDto)),
})

/** A work with all roles of a person. */
export const PersonWork = Named('PersonWork', { ...item, roles: Type.Array(Ref(PersonWorkRole)) })

const ProducerWorkRole = Named('ProducerWorkRole', {
  role: Type.String({
    description: 'In upper case: `DEVELOPER`, `PUBLISHER`, `BUNKO`, `MAGAZINE` …',
  }),
  note,
})

/** A work with all roles of a producer. */
export const ProducerWork = Named('ProducerWork', {
  ...item,
  roles: Type.Array(Ref(ProducerWorkRole)),
})

const CharacterWorkRole = Named('CharacterWorkRole', {
  role: Enum(CHARACTER_ROLES),
  actors: Type.Array(Ref(OpenEntityRefDto)),
})

/** A work with the role of a character and its voice actors. */
export const CharacterWork = Named('CharacterWork', {
  ...item,
  roles: Type.Array(Ref(CharacterWorkRole)),
})

/** Named schemas, dependencies first. */
export const BACK_LINK_SCHEMAS = [
  PersonWorkRole,
  PersonWork,
  ProducerWorkRole,
  ProducerWork,
  CharacterWorkRole,
  CharacterWork,
]

const several = 'Separated by commas, or as a repeated parameter'

export const WorksQuery = Type.Object({
  type: Type.Optional(Type.Array(type, { description: `${several}. Defaults to all kinds.` })),
  role: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z_]{1,40}$' }), {
      description: `Only works in which the entry has one of these roles; all its roles in them are returned. ${several}`,
    }),
  ),
  ...PageQuery.properties,
})
