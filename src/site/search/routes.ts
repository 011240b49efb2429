import type { FastifyInstance } from 'fastify'
import { isCatalogEmpty } from '../../browse/public-entries-queries.ts'
import { html } from '../../ui/html.ts'
import { queryParameterOf } from '../../ui/forms/form-field.ts'
import { PAGE_HEADERS } from '../../ui/page/page.ts'
import { SEARCH_TYPES } from '../../search/schemas.ts'
import { countHiddenMatches } from '../../search/hidden-matches-queries.ts'
import { searchEntries } from '../../search/search.ts'
import { emptyListNotice } from '../components/empty-list-notice.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { hiddenWorksNotice } from '../adult-works/hidden-works.ts'
import { listsAdultWorks } from '../adult-works/visibility.ts'
import { hiddenMatches } from './hidden-matches.ts'
import { searchByKind } from './search-by-kind.ts'
import { hitList } from './hit-list.ts'
import { loadHits } from './load-hits.ts'
import { searchStartView, searchView } from './search-view.ts'
import { MAX_QUERY_LENGTH } from '../../search/text/parse-query.ts'
import { startOf } from '../../kernel/printable.ts'

const PAGE_SIZE = 30
const INSTANT_HITS = 8

/** Serves `/search`, and the instant results that are shown below the search box. */
export async function searchPageRoutes(
  app: FastifyInstance,
  { reads, frequencies }: PageRouteOptions,
) {
  const searcher = { db: reads, frequencies }

  app.get('/search', PAGE, async (request, reply) => {
    const q = queryOf(request)
    const context = request.page
    if (q === '') return sendCatalogPage(request, reply, searchStartView(context))
    const type = queryParameterOf(request, 'type')
    const kind = SEARCH_TYPES.find((name) => name === type)
    const page = readPageNumber(request)
    const found = await searchByKind(searcher, {
      q,
      kind,
      seesNsfw: listsAdultWorks(context),
      offset: (page - 1) * PAGE_SIZE,
      limit: PAGE_SIZE,
    })
    const isUnfilled = found.total === 0 && (await isCatalogEmpty(reads))
    const emptyNotice = isUnfilled ? await emptyListNotice(reads, context.messages) : undefined
    const data = { q, kind, page, pageSize: PAGE_SIZE, found, emptyNotice }
    return sendCatalogPage(request, reply, searchView(context, data))
  })

  app.get('/search/instant', PAGE, async (request, reply) => {
    const q = queryOf(request)
    const context = request.page
    const seesNsfw = listsAdultWorks(context)
    const options = { kinds: SEARCH_TYPES, seesNsfw, limit: INSTANT_HITS, counted: false }
    const { hits } = q === '' ? { hits: [] } : await searchEntries(searcher, q, options)
    const [shown, hidden] = await Promise.all([
      loadHits(reads, hits.slice(0, INSTANT_HITS), seesNsfw),
      seesNsfw || q === '' ? 0 : countHiddenMatches(searcher, q, SEARCH_TYPES),
    ])
    const { searchPage: texts, layout } = context.messages
    const more = `/search?${new URLSearchParams({ q }).toString()}`
    const part =
      shown.length === 0
        ? html`<p role="status">${texts.nothing}</p>${!seesNsfw && hiddenMatches(context, hidden)}`
        : html`<h2>${layout.searching}</h2>${hitList(context, shown)}${hiddenWorksNotice(context, hidden)}<a class="all tap" href="${more}">${texts.allResults}</a>`
    return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(part.toString())
  })
}

const queryOf = (request: Parameters<typeof queryParameterOf>[0]) =>
  startOf(queryParameterOf(request, 'q'), MAX_QUERY_LENGTH)
