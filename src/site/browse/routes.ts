import type { FastifyInstance } from 'fastify'
import { countAdultEntries, findEntries } from '../../browse/lists/list-page.ts'
import { findFacetGroups } from '../../browse/lists/queries.ts'
import { listQueryParser } from '../../browse/lists/parse-list-query.ts'
import { SORTS } from '../../browse/lists/sorts.ts'
import { withSynonyms } from '../../browse/tags/tag-concepts.ts'
import { ENTRY_KINDS, isWorkKind, KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Messages } from '../../ui/messages.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { emptyListNotice } from '../components/empty-list-notice.ts'
import { LISTED_PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { filterForm } from './filter-form.ts'
import { findFilterNames } from './filter-names.ts'
import { findFacets } from './find-facets.ts'
import { listParameters, readListPageQuery } from './list-query.ts'
import { listView } from './list-view.ts'

/** Returns the heading of a kind's list. */
const headingOf = (kind: EntryKind, { layout }: Messages): string =>
  ({
    galgame: layout.galgames,
    light_novel: layout.lightNovels,
    manga: layout.mangas,
    person: layout.people,
    producer: layout.producers,
    character: layout.characters,
  })[kind]

/** Serves `/galgames` and the lists of the other kinds, filtered and ordered by their query. */
export async function listPageRoutes(app: FastifyInstance, options: PageRouteOptions) {
  for (const kind of ENTRY_KINDS) listPageRoute(app, options, kind)
}

function listPageRoute(app: FastifyInstance, { db, reads }: PageRouteOptions, kind: EntryKind) {
  const parser = listQueryParser(kind)
  const path = `/${KINDS[kind].path}`
  const isOfWorks = isWorkKind(kind)
  app.get(path, LISTED_PAGE, async (request, reply) => {
    const context = request.page
    const listsAll = listsAdultWorks(context)
    const listQuery = readListPageQuery(kind, request.query)
    const query = parser.parse(listParameters(listQuery), { seesNsfw: listsAll })
    const [groups, facets, names] = await Promise.all([
      findFacetGroups(reads, [kind], withSynonyms(query.filters)),
      findFacets(reads, kind, context),
      findFilterNames(reads, context, listQuery),
    ])
    const list = { kinds: [kind], groups, query }
    const [found, hidden] = await Promise.all([
      findEntries(reads, list),
      listsAll || !isOfWorks ? 0 : countAdultEntries(reads, list),
    ])
    await loadMarks(db, request, found.entries)
    const filters = filterForm(context, { path, listQuery, facets, sorts: SORTS[kind], isOfWorks })
    const emptyNotice =
      found.total === 0 ? await emptyListNotice(reads, context.messages) : undefined
    const heading = headingOf(kind, context.messages)
    return sendCatalogPage(
      request,
      reply,
      listView(context, {
        path,
        heading,
        listQuery,
        names,
        found,
        hidden,
        isOfWorks,
        filters,
        emptyNotice,
      }),
    )
  })
}
