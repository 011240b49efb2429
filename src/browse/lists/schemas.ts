import { Type } from 'typebox'
import { Named, Ref } from '../../http/wire/schemas.ts'
import { PageMeta } from '../../http/wire/requests/paging.ts'
import { EntrySummary } from '../summary.ts'

/** A page of a list of entries (decision 0017). */
export const EntryPage = Named('EntryPage', {
  items: Type.Array(Ref(EntrySummary)),
  meta: Ref(PageMeta),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description: 'The next page, exact whatever comes and goes meanwhile; null on the last',
  }),
})
