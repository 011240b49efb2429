import { Type, type Static } from 'typebox'
import { Enum, OpenCoverDto, OpenEntityRefDto, OpenGalgameCoverDto } from '../catalog/schemas.ts'
import { GALGAME_PRODUCER_ROLES, PUBLICATION_STATUSES } from '../catalog/enums.ts'
import { RatedMediaDto } from '../http/wire/media.ts'
import { WORK_KINDS } from '../catalog/kinds.ts'
import { WorkType, WorkTypeParameter } from '../catalog/work-types.ts'
import { Paged, PageQuery } from '../http/wire/requests/paging.ts'
import {
  Closed,
  DateTime,
  Id,
  Named,
  Nullable,
  NullableDate,
  NullableText,
  ObjectOf,
  Ref,
  StringEnum,
} from '../http/wire/schemas.ts'

/** Maximum number of collections per user, including the default collection. */
export const MAX_COLLECTIONS = 200

/** Maximum number of works in a collection. The database enforces it (`collections_item_count_check`). */
export const MAX_ITEMS = 10_000

const ids = { id: Id, name: Type.String() }
const times = {
  created_at: DateTime,
  updated_at: Type.String({
    format: 'date-time',
    description: 'Last change to the collection or its items',
  }),
}

export const Collection = Named('Collection', {
  ...ids,
  owner_id: Type.Integer({ minimum: 1, description: 'User who owns the collection' }),
  description: NullableText,
  is_private: Type.Boolean({ description: 'Only its owner can see the collection' }),
  is_default: Type.Boolean({ description: 'True for the collection that every user has' }),
  item_count: Type.Integer({ minimum: 0 }),
  ...times,
})
export type Collection = Static<typeof Collection>

export const ContainingCollection = Named('ContainingCollection', {
  ...ids,
  is_default: Type.Boolean(),
})
export type ContainingCollection = Static<typeof ContainingCollection>

const itemType = StringEnum(WORK_KINDS, { title: 'CollectionItemType' })

/** Types that a request may filter by. Articles and posts exist in the shared contract, but not in this catalog. */
export const ITEM_TYPES = [...WORK_KINDS, 'article', 'post'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

const nsfw = Type.Boolean()
const note = Type.String({ description: 'Empty if the credit has no note' })
const mostVotesFirst = { description: 'Most votes first' }
const media = Ref(RatedMediaDto)
const CollectedCover = Named('CollectedCover', { ...OpenCoverDto.properties, media })
const CollectedGalgameCover = Named('CollectedGalgameCover', {
  ...OpenGalgameCoverDto.properties,
  media,
})
const book = {
  id: Id,
  name: Type.String(),
  name_cn: NullableText,
  publication_date: NullableDate,
  nsfw,
  covers: Type.Array(Ref(CollectedCover), mostVotesFirst),
}
const CollectedGalgame = Named('CollectedGalgame', {
  id: Id,
  origin_title: Type.String(),
  trans_title: NullableText,
  release_date: NullableDate,
  nsfw,
  covers: Type.Array(Ref(CollectedGalgameCover), mostVotesFirst),
  producers: Type.Array(
    Closed({ role: Enum(GALGAME_PRODUCER_ROLES), note, producer: Ref(OpenEntityRefDto) }),
  ),
})
const CollectedLightNovel = Named('CollectedLightNovel', {
  ...book,
  novel_status: Enum(PUBLICATION_STATUSES),
  author: Nullable(Ref(OpenEntityRefDto)),
  bunko: Nullable(Ref(OpenEntityRefDto)),
  publishers: Type.Array(Closed({ note, producer: Ref(OpenEntityRefDto) })),
})
const CollectedManga = Named('CollectedManga', {
  ...book,
  serial_status: Enum(PUBLICATION_STATUSES),
  latest_chapter_at: NullableDate,
})

export const CollectionItem = Named('CollectionItem', {
  type: itemType,
  id: Type.Integer({ minimum: 1, description: 'Id of the item; `work_id` is the id of the work' }),
  work_type: WorkType,
  work_id: Id,
  work: Ref(OpenEntityRefDto),
  note: Type.String({ description: "'' if empty; public if the collection is public" }),
  created_at: Type.String({ format: 'date-time', description: 'Time at which the work was added' }),
  added_at: DateTime,
  updated_at: Type.String({ format: 'date-time', description: 'Last change to the note' }),
  galgame: Type.Optional(Ref(CollectedGalgame)),
  light_novel: Type.Optional(Ref(CollectedLightNovel)),
  manga: Type.Optional(Ref(CollectedManga)),
})
export type CollectionItem = Static<typeof CollectionItem>

export const FavoritedItem = Named('FavoritedItem', {
  favorited: Type.Literal(true),
  ...CollectionItem.properties,
})
export type FavoritedItem = Static<typeof FavoritedItem>

const CollectionOwner = Named('CollectionOwner', {
  id: Id,
  name: Type.String({ description: 'Nickname, or the name of a user without a nickname' }),
  picture: NullableText,
})

export const PublicCollection = Named('PublicCollection', {
  ...ids,
  description: Type.String({ description: "'' if empty" }),
  owner: Ref(CollectionOwner),
  item_count: Type.Integer({
    minimum: 0,
    description: 'Without `catalog:full`, nsfw works are not counted',
  }),
  ...times,
})
export type PublicCollection = Static<typeof PublicCollection>

export const COLLECTION_SCHEMAS = [
  Collection,
  ContainingCollection,
  CollectedCover,
  CollectedGalgameCover,
  CollectedGalgame,
  CollectedLightNovel,
  CollectedManga,
  CollectionItem,
  FavoritedItem,
  CollectionOwner,
  PublicCollection,
]

const changeable = Type.Object({
  name: Type.String({ description: '1 to 255 characters after trimming, no control characters' }),
  description: Nullable(Type.String(), { description: 'At most 2000 characters' }),
  is_private: Type.Boolean(),
})

export const CollectionChange = Type.Partial(changeable, { additionalProperties: false })
export type CollectionChange = Static<typeof CollectionChange>

export const NewCollection = Closed({
  ...CollectionChange.properties,
  name: changeable.properties.name,
})
export type NewCollection = Static<typeof NewCollection>

/** Body of the PUT. Without a note, the stored note stays; null or '' clears it. */
export const ItemChange = Closed({
  note: Type.Optional(Nullable(Type.String(), { description: 'At most 2000 characters' })),
})

/** Body of the PUT, and the resulting position. */
export const ItemPosition = Closed({
  position: Type.Integer({
    minimum: 1,
    maximum: MAX_ITEMS,
    description:
      'Position in `sort=position`, from 1; a number beyond the end means the last position',
  }),
})
export type ItemPosition = Static<typeof ItemPosition>

export const ITEM_SORTS = ['added', 'position'] as const

export const ItemsQuery = Type.Object({
  sort: Type.Optional(
    StringEnum(ITEM_SORTS, {
      title: 'CollectionItemOrder',
      description: '`added` (default): last added first; `position`: in the order of the owner',
    }),
  ),
  type: Type.Optional(
    StringEnum(ITEM_TYPES, {
      title: 'CollectionItemTypeFilter',
      description: '`article` and `post` match no items',
    }),
  ),
  work_type: Type.Optional(WorkTypeParameter),
  keyword: Type.Optional(
    Type.String({
      maxLength: 100,
      // PostgreSQL rejects NUL in text.
      pattern: '^[^\\u0000]*$',
      description: 'Part of the original or the translated title',
    }),
  ),
  ...PageQuery.properties,
})
export type ItemsQuery = Static<typeof ItemsQuery>

export const ItemsPage = Closed({
  ...Paged(Ref(CollectionItem)).properties,
  type_counts: ObjectOf(['total', ...ITEM_TYPES], Type.Integer({ minimum: 0 }), {
    description: 'Number of items by type that match the keyword',
  }),
})
export type ItemsPage = Static<typeof ItemsPage>
