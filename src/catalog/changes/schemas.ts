import { Type, type Static } from 'typebox'
import { DateTime, Id, Named, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'

/** What the feed tells of; in the database in lower case. */
const RESOURCE_TYPES = [
  'GALGAME',
  'LIGHT_NOVEL',
  'LIGHT_NOVEL_VOLUME',
  'MANGA',
  'MANGA_VOLUME',
  'PERSON',
  'PRODUCER',
  'CHARACTER',
  'TAG',
] as const
export type ResourceType = (typeof RESOURCE_TYPES)[number]

/** Changes in one answer. */
export const MAX_CHANGES = 500

const number = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const CatalogChange = Named('CatalogChange', {
  id: Id,
  resource_type: StringEnum(RESOURCE_TYPES, { title: 'ResourceType' }),
  resource_id: Id,
  kind: StringEnum(['UPSERT', 'DELETE', 'MERGE'], {
    description:
      '`UPSERT`: read it again · `DELETE`: it is not there for you any more · `MERGE`: `merged_to_id` has taken its place',
  }),
  merged_to_id: Nullable(Id),
  created_at: DateTime,
})

/** A part of the feed (decision 0015). */
export const CatalogChanges = Named('CatalogChanges', {
  items: Type.Array(Ref(CatalogChange), { description: 'In the order of their ids' }),
  latest_id: number('The last change of all, seen by you or not; 0 when there is none'),
  has_more: Type.Boolean({
    description: 'There are more: ask again at once, with the last id as `since`',
  }),
})

export const ChangesQuery = Type.Object({
  since: Type.Optional(number('The last id you have; 0 for everything.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_CHANGES, description: '100 when not sent.' }),
  ),
})
export type ChangesQuery = Static<typeof ChangesQuery>
