import { Type } from 'typebox'
import { Named, Ref } from '../../http/wire/schemas.ts'
import { PageMeta } from '../../http/wire/requests/paging.ts'
import { EntrySummary } from '../summary.ts'

/** A page of a list of entries (decision 0017). */
export const EntryPage = Named('EntryPage', {
  items: Type.Array(Ref(EntrySummary)),
  meta: Ref(PageMeta),
  next_cursor: Type.Union([Type.String(), Type.Null()], {
    description:
      'Cursor of the next page, null on the last page; entries that are added or removed do not shift it',
  }),
})
