import { Type, type Static } from 'typebox'
import { OpenEntityRefDto } from '../catalog/schemas.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { PageQuery } from '../http/wire/paging.ts'
import { DateTime, Id, Named, NullableText, Ref, StringEnum } from '../http/wire/schemas.ts'

const ids = { id: Id, name: Type.String() }
const description = Type.String({ description: "'' when there is none" })
const times = {
  created_at: DateTime,
  updated_at: Type.String({ format: 'date-time', description: 'Last change of it or of what is in it' }),
}

/** A collection as its reader sees it. */
export const Collection = Named('Collection', {
  ...ids,
  description,
  is_private: Type.Boolean({ description: 'Nobody else sees it' }),
  is_default: Type.Boolean({ description: 'The one every reader has' }),
  item_count: Type.Integer({ minimum: 0 }),
  ...times,
})
export type Collection = Static<typeof Collection>

/** A collection that holds a work. */
export const ContainingCollection = Named('ContainingCollection', { ...ids, is_default: Type.Boolean() })
export type ContainingCollection = Static<typeof ContainingCollection>

const workType = StringEnum(WORK_KINDS, { title: 'WorkType' })

/** A work in a collection. */
export const CollectionItem = Named('CollectionItem', {
  work_type: workType,
  work_id: Id,
  work: Ref(OpenEntityRefDto),
  note: Type.String({ description: "'' when there is none; as public as the collection" }),
  added_at: DateTime,
  updated_at: Type.String({ format: 'date-time', description: 'Last change of the note' }),
})
export type CollectionItem = Static<typeof CollectionItem>

const CollectionOwner = Named('CollectionOwner', {
  id: Id,
  name: Type.String({ description: 'The nickname, or else the name' }),
  picture: NullableText,
})

/** A collection that is not private, as everybody sees it. */
export const PublicCollection = Named('PublicCollection', {
  ...ids,
  description,
  owner: Ref(CollectionOwner),
  item_count: Type.Integer({ minimum: 0, description: 'Without catalog:full, nsfw works are not counted' }),
  ...times,
})
export type PublicCollection = Static<typeof PublicCollection>

/** In the order in which they refer to each other. */
export const COLLECTION_SCHEMAS = [
  Collection,
  ContainingCollection,
  CollectionItem,
  CollectionOwner,
  PublicCollection,
]

const changeable = Type.Object({
  name: Type.String({ description: '1 to 64 characters after trimming, no control characters' }),
  description: Type.String({ description: 'At most 1000 characters' }),
  is_private: Type.Boolean(),
})

/** The body of PATCH: only what is sent is changed. */
export const CollectionChange = Type.Partial(changeable, { additionalProperties: false })
export type CollectionChange = Static<typeof CollectionChange>

/** The body of POST. */
export const NewCollection = Type.Object(
  { ...CollectionChange.properties, name: changeable.properties.name },
  { additionalProperties: false },
)
export type NewCollection = Static<typeof NewCollection>

/** The body of PUT: without a note the one there is stays; null or '' clears it. */
export const ItemChange = Type.Object(
  {
    note: Type.Optional(Type.Union([Type.String(), Type.Null()], { description: 'At most 1000 characters' })),
  },
  { additionalProperties: false },
)

/** Which items of a collection. */
export const ItemsQuery = Type.Object({ work_type: Type.Optional(workType), ...PageQuery.properties })
export type ItemsQuery = Static<typeof ItemsQuery>
