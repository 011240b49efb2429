import { Type, type Static } from 'typebox'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { Id, Named } from '../../http/wire/schemas.ts'

/** A tag used by works. */
export const ListedTag = Named('Tag', {
  id: Type.Integer({ ...Id, description: 'Same id as in the change feed' }),
  name: Type.String(),
  works: Type.Integer({
    minimum: 1,
    description: 'Number of works with the tag; nsfw works count only with `catalog:full`',
  }),
})
export type ListedTag = Static<typeof ListedTag>

export const TagsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      // PostgreSQL strings cannot contain NUL.
      pattern: '^[^\\u0000]*$',
      description:
        'Part of the name, regardless of case, accents and width. Truncated to 100 characters.',
    }),
  ),
  ...PageQuery.properties,
})
export type TagsQuery = Static<typeof TagsQuery>
