import { Type, type Static } from 'typebox'
import { DateTime, Named, Nullable } from '../../http/wire/schemas.ts'

const Licence = Type.Object({
  name: Type.String({ description: 'SPDX identifier' }),
  url: Type.String(),
})

/** A source of the catalog's data. */
export const AttributedSource = Named('AttributedSource', {
  source: Type.String({ description: 'As `lookup` calls it' }),
  name: Type.String(),
  url: Type.String(),
  licences: Type.Array(Licence, { description: 'Of the database first, then of its contents' }),
  notice: Type.String({ description: 'To be shown wherever the data are' }),
  dump_date: Nullable(
    Type.String({ description: 'The day the source gives its dump, `YYYY-MM-DD`' }),
  ),
  imported_at: Nullable(DateTime),
})
export type AttributedSource = Static<typeof AttributedSource>
