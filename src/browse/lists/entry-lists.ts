import type { EntryList, EntryLists } from '../../catalog/catalog-app.ts'
import type { EntryKind } from '../../catalog/kinds.ts'
import { seesNsfw } from '../../catalog/visibility.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { EntryPage, EntrySummary } from '../summary.ts'
import { invalidCursor } from './cursor.ts'
import { LIST_EXAMPLES } from './examples.ts'
import { findFacetGroups } from './queries.ts'
import { listQueryParser } from './parse-list-query.ts'
import { sendListPage } from './list-page.ts'

/**
 * Handlers of `GET /galgames` and the other kinds without `ids`: filtered and sorted lists of entries (decision 0017).
 */
export const entryLists = (db: Reads): EntryLists => ({
  schemas: [EntrySummary, EntryPage],
  forKind: (kind) => entryList(db, kind),
})

function entryList(db: Reads, kind: EntryKind): EntryList {
  const parser = listQueryParser(kind)
  return {
    parameters: parser.schema.properties,
    page: EntryPage,
    example: LIST_EXAMPLES[kind],
    faults: { badCursor: invalidCursor() },
    async handle(request, reply) {
      const query = parser.parse(request.query, { seesNsfw: seesNsfw(request) })
      const groups = await findFacetGroups(db, [kind], query.filters)
      return sendListPage(db, request, reply, { kinds: [kind], groups, query })
    },
  }
}
