import { Type, type Static } from 'typebox'
import { PageQuery } from '../../http/wire/requests/paging.ts'
import { Id, Named } from '../../http/wire/schemas.ts'

/** A tag that works have. */
export const ListedTag = Named('Tag', {
  id: Type.Integer({ ...Id, description: 'As the change feed names it' }),
  name: Type.String(),
  works: Type.Integer({
    minimum: 1,
    description: 'Number of works that have it; nsfw ones count only with `catalog:full`',
  }),
})
export type ListedTag = Static<typeof ListedTag>

export const TagsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      // A NUL is no text for the database.
      pattern: '^[^\\u0000]*$',
      description:
        'A part of the name; case, accents and widths do not matter. More than 100 characters are cut.',
    }),
  ),
  ...PageQuery.properties,
})
export type TagsQuery = Static<typeof TagsQuery>
