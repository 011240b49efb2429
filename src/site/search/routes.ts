import type { FastifyInstance } from 'fastify'
import { isCatalogEmpty } from '../../browse/empty-catalog-queries.ts'
import { html } from '../../ui/html.ts'
import { parameterOf } from '../../ui/forms/form-field.ts'
import { PAGE_HEADERS } from '../../ui/page/page.ts'
import { SEARCH_TYPES } from '../../search/schemas.ts'
import { searchEntries } from '../../search/search.ts'
import { nothingYet } from '../components/nothing-yet.ts'
import { PAGE, type WebOptions } from '../options.ts'
import { readPageNumber } from '../read-page-number.ts'
import { sendCatalogPage } from '../send-catalog-page.ts'
import { findHitsOfKinds } from './find-hits-of-kinds.ts'
import { hitList } from './hit-list.ts'
import { showFound } from './show-found.ts'
import { searchStartView, searchView } from './search-view.ts'
import { MAX_QUERY_LENGTH } from '../../search/text/parse-query.ts'
import { startOf } from '../../kernel/printable.ts'

const PAGE_SIZE = 30
const INSTANT_HITS = 8

/** `/search`, and the lines that are shown below the search box as somebody types. */
export async function searchPageRoutes(app: FastifyInstance, { db, frequencies }: WebOptions) {
  const searcher = { db, frequencies }

  app.get('/search', PAGE, async (request, reply) => {
    const q = queryOf(request)
    const context = request.page
    if (q === '') return sendCatalogPage(request, reply, searchStartView(context))
    const type = parameterOf(request, 'type')
    const kind = SEARCH_TYPES.find((name) => name === type)
    const page = readPageNumber(request)
    const found = await findHitsOfKinds(searcher, {
      q,
      kind,
      seesNsfw: context.reader?.nsfw ?? false,
      offset: (page - 1) * PAGE_SIZE,
      limit: PAGE_SIZE,
    })
    const isUnfilled = found.total === 0 && (await isCatalogEmpty(db))
    const nothing = isUnfilled ? await nothingYet(db, context.messages) : undefined
    const data = { q, kind, page, pageSize: PAGE_SIZE, found, nothing }
    return sendCatalogPage(request, reply, searchView(context, data))
  })

  app.get('/search/instant', PAGE, async (request, reply) => {
    const q = queryOf(request)
    const seesNsfw = request.page.reader?.nsfw ?? false
    const asked = { kinds: SEARCH_TYPES, seesNsfw, limit: INSTANT_HITS, counted: false }
    const { hits } = q === '' ? { hits: [] } : await searchEntries(searcher, q, asked)
    const shown = await showFound(db, hits.slice(0, INSTANT_HITS), seesNsfw)
    const { searchPage: words, layout } = request.page.messages
    const more = `/search?${new URLSearchParams({ q }).toString()}`
    const part =
      shown.length === 0
        ? html`<p role="status">${words.nothing}</p>`
        : html`<h2>${layout.searching}</h2>${hitList(request.page, shown)}<a class="all tap" href="${more}">${words.allResults}</a>`
    return reply.headers({ ...PAGE_HEADERS, 'x-request-id': request.id }).send(part.toString())
  })
}

const queryOf = (request: Parameters<typeof parameterOf>[0]) =>
  startOf(parameterOf(request, 'q'), MAX_QUERY_LENGTH)
