import { Type, type Static } from 'typebox'
import { DateTime, Named, Nullable } from '../../http/wire/schemas.ts'

const License = Type.Object({
  name: Type.String({ description: 'SPDX identifier' }),
  url: Type.String(),
})

/** A source of the catalog's data. */
export const AttributedSource = Named('AttributedSource', {
  source: Type.String({ description: 'Name of the source in `lookup`' }),
  name: Type.String(),
  url: Type.String(),
  licences: Type.Array(License, {
    description: 'License of the database first, then of its contents',
  }),
  notice: Type.String({ description: 'Must be shown wherever the data are shown' }),
  dump_date: Nullable(
    Type.String({ description: 'Date of the dump according to the source, `YYYY-MM-DD`' }),
  ),
  imported_at: Nullable(DateTime),
})
export type AttributedSource = Static<typeof AttributedSource>
