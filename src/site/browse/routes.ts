import type { FastifyInstance } from 'fastify'
import { isLinkedKind } from '../../browse/back-links/queries.ts'
import { countAdultWorks, findEntries } from '../../browse/lists/list-page.ts'
import { listQueryParser } from '../../browse/lists/parse-list-query.ts'
import { SORTS } from '../../browse/lists/sorts.ts'
import { ENTRY_KINDS, isWorkKind, KINDS, type EntryKind } from '../../catalog/kinds.ts'
import type { Messages } from '../../ui/messages.ts'
import { hiddenWorksNotice, mayBeHiddenNotice } from '../adult-works/hidden-works.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { loadMarks } from '../library/rating/load-marks.ts'
import { emptyListNotice } from '../components/empty-list-notice.ts'
import { nameOrderOf } from '../components/titles.ts'
import { LISTED_PAGE, type PageRouteOptions } from '../options.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { filterForm } from './filter-form.ts'
import { findEntryNotes } from './entry-notes.ts'
import { findFilterNames } from './filter-names.ts'
import { findFacets } from './find-facets.ts'
import {
  isFiltered,
  listParameters,
  readListPageQuery,
  urlWithoutEmptyFields,
} from './list-query.ts'
import { letterLinks } from './letters.ts'
import { listView } from './list-view.ts'
import { findPageFilters } from './page-filters.ts'

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
    const shorter = urlWithoutEmptyFields(request.url)
    if (shorter !== undefined) return reply.redirect(shorter)
    const context = request.page
    const listsAll = listsAdultWorks(context)
    const listQuery = readListPageQuery(kind, request.query)
    const query = parser.parse(listParameters(listQuery), {
      seesNsfw: listsAll,
      nameOrder: nameOrderOf(context),
    })
    const [facets, names, pageFilters] = await Promise.all([
      findFacets(reads, kind, context),
      findFilterNames(reads, context, listQuery),
      findPageFilters(reads, kind, { query, listQuery }),
    ])
    const hidesAdultWorks = isOfWorks && !listsAll
    // A count of the works that match would tell what they contain.
    const counts = hidesAdultWorks && !isFiltered(listQuery)
    const [found, hidden] = await Promise.all([
      findEntries(reads, { kinds: [kind], ...pageFilters, query }),
      counts ? countAdultWorks(reads, [kind]) : 0,
    ])
    const hiddenNotice = counts
      ? hiddenWorksNotice(context, hidden)
      : hidesAdultWorks && mayBeHiddenNotice(context)
    await loadMarks(db, request, found.entries)
    const notes = isLinkedKind(kind)
      ? await findEntryNotes(reads, context, { kind, entries: found.entries, seesNsfw: listsAll })
      : undefined
    const letters =
      isLinkedKind(kind) || listQuery.sort === 'name'
        ? letterLinks(context, path, listQuery)
        : undefined
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
        hiddenNotice,
        isOfWorks,
        filters,
        letters,
        notes,
        emptyNotice,
      }),
    )
  })
}
