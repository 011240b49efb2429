import { Type, type Static } from 'typebox'
import { DateTime, Id, Named, Nullable, Ref, StringEnum } from '../../http/wire/schemas.ts'

/** Resource types in the feed. The database stores them in lower case. */
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

/** Maximum number of changes in a response. */
export const MAX_CHANGES = 500

const number = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const CatalogChange = Named('CatalogChange', {
  id: Id,
  resource_type: StringEnum(RESOURCE_TYPES, { title: 'ResourceType' }),
  resource_id: Id,
  kind: StringEnum(['UPSERT', 'DELETE', 'MERGE'], {
    description:
      '`UPSERT`: created or changed, read it again · `DELETE`: deleted or no longer visible to you · `MERGE`: replaced by `merged_to_id`',
  }),
  merged_to_id: Nullable(Id),
  created_at: DateTime,
})

/** Maximum time, in seconds, that a request waits for changes. */
const MAX_WAIT_SECONDS = 60

/** A page of the feed (decision 0015). */
export const CatalogChanges = Named('CatalogChanges', {
  items: Type.Array(Ref(CatalogChange), { description: 'In ascending order of `id`' }),
  latest_id: number(
    'Id of the latest change, even if it is not visible to you; 0 if there are no changes',
  ),
  has_more: Type.Boolean({
    description: 'True if more changes follow. Request them with the last id as `since`.',
  }),
  epoch: Type.String({
    description:
      'Id of the present sequence of changes. It changes if the service loses changes, for example because a backup was restored. Send it with `since`.',
  }),
})

export const ChangesQuery = Type.Object({
  since: Type.Optional(number('Last id you have processed; 0 for everything.')),
  epoch: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        '`epoch` of the response from which you took `since`. If it has ended, the response is 409.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_CHANGES, description: 'Defaults to 100.' }),
  ),
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WAIT_SECONDS,
      description: 'Seconds to wait for a change after `since`. Defaults to 0.',
    }),
  ),
})
export type ChangesQuery = Static<typeof ChangesQuery>
