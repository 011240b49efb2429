import { Type } from 'typebox'
import { CHARACTER_ROLES } from '../../catalog/enums.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { Enum, OpenEntityRefDto } from '../../catalog/schemas.ts'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { Named, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'
import { EntrySummary } from '../summary.ts'

const type = StringEnum(WORK_KINDS, { title: 'WorkKind' })
const note = Type.String({ description: "'' when there is none" })

const item = { work: Ref(EntrySummary) }

const PersonWorkRole = Named('PersonWorkRole', {
  role: Type.Union([Type.String(), Type.Null()], {
    description:
      'As the list of the work has it, in upper case: `SCENARIO`, `AUTHOR`, `ILLUSTRATOR` …; `VOICE` where they speak a character',
  }),
  credited_as: Type.Union([Type.String(), Type.Null()], {
    description: 'The name the work prints; null when it is the main one',
  }),
  note,
  character: Nullable(Ref(OpenEntityRefDto)),
})

/** A work with everything a person did for it. */
export const PersonWork = Named('PersonWork', { ...item, roles: Type.Array(Ref(PersonWorkRole)) })

const ProducerWorkRole = Named('ProducerWorkRole', {
  role: Type.String({
    description: 'In upper case: `DEVELOPER`, `PUBLISHER`, `BUNKO`, `MAGAZINE` …',
  }),
  note,
})

/** A work with every part a producer has in it. */
export const ProducerWork = Named('ProducerWork', {
  ...item,
  roles: Type.Array(Ref(ProducerWorkRole)),
})

const CharacterWorkRole = Named('CharacterWorkRole', {
  role: Enum(CHARACTER_ROLES),
  actors: Type.Array(Ref(OpenEntityRefDto)),
})

/** A work with the part of a character, and who speaks it there. */
export const CharacterWork = Named('CharacterWork', {
  ...item,
  roles: Type.Array(Ref(CharacterWorkRole)),
})

/** In the order in which they refer to each other. */
export const BACK_LINK_SCHEMAS = [
  PersonWorkRole,
  PersonWork,
  ProducerWorkRole,
  ProducerWork,
  CharacterWorkRole,
  CharacterWork,
]

const several = 'Separated by commas, or the parameter several times'

export const WorksQuery = Type.Object({
  type: Type.Optional(
    Type.Array(type, { description: `${several}; works of any kind without it` }),
  ),
  role: Type.Optional(
    Type.Array(Type.String({ pattern: '^[A-Za-z_]{1,40}$' }), {
      description: `Only works in which the entry has one of these roles; all its roles in them are named. ${several}`,
    }),
  ),
  ...PageQuery.properties,
})
