import type { FastifyInstance } from 'fastify'
import { sendUncached } from '../catalog/cache/send-cached.ts'
import { seesNsfw } from '../catalog/visibility.ts'
import { documentedRoute } from '../http/document/operation.ts'
import {
  MAX_EXACT_TOTAL,
  offsetAndLimit,
  pageJson,
  pageOfCollection,
} from '../http/wire/requests/paging.ts'
import { notOneOf, validationError } from '../http/wire/errors/refusals.ts'
import { readMultiValue } from '../http/wire/requests/multiple-values.ts'
import { Envelope } from '../http/wire/schemas.ts'
import { EXAMPLES } from './examples.ts'
import {
  InstantQuery,
  InstantResult,
  SEARCH_TYPES,
  SearchPage,
  SearchQuery,
  type SearchType,
  Suggestions,
  SuggestionsQuery,
} from './schemas.ts'
import { searchEntries, type Searcher } from './search.ts'
import { summarizeHits } from './hit-summary-queries.ts'

const SEARCH = { access: 'catalog', tag: 'Search', cacheable: true } as const
const HITS_PER_KIND = 3
const MAX_SUGGESTIONS = 10

const blankQuery = () => validationError([{ field: 'q', kind: 'minLength', code: 'text.blank' }])
const faults = { blankQuery: blankQuery() }
const faultsOfTypes = { ...faults, unknownTypes: notOneOf('types', SEARCH_TYPES) }

/** Registers the routes below `search` (decision 0016). */
export function searchRoutes(app: FastifyInstance, searcher: Searcher) {
  const { db } = searcher

  const searchRoute = documentedRoute({
    ...SEARCH,
    operationId: 'search',
    summary: 'Search entries by name',
    description:
      'Returns exact titles first, then other exact names, names that begin with the query, names with all of its ' +
      'words, and names that contain it. Equal matches are sorted by number of users. If nothing is found, one typo ' +
      'per five Latin letters is tolerated. ' +
      `\`total_items\` is exact up to ${MAX_EXACT_TOTAL}, its maximum; further hits are not listed.`,
    querystring: SearchQuery,
    success: { 200: Envelope(SearchPage) },
    example: EXAMPLES.search,
    faults: faultsOfTypes,
  })
  app.get<{ Querystring: SearchQuery }>('/search', searchRoute, async (request, reply) => {
    const { query } = request
    const page = pageOfCollection(query)
    const { offset, limit } = offsetAndLimit(page)
    const end = Math.min(MAX_EXACT_TOTAL, offset + (limit ?? MAX_EXACT_TOTAL))
    const sees = seesNsfw(request)
    const options = { kinds: typesOf(query.types), seesNsfw: sees, limit: end }
    const { hits, total } = await searchEntries(searcher, textOf(query), options)
    const shown = await summarizeHits(db, hits.slice(offset, end), sees)
    const items = `[${shown.map(({ hit }) => hit).join(',')}]`
    return sendUncached(request, reply, {
      nsfw: false,
      data: pageJson(items, shown.length, page, total),
    })
  })

  const instantRoute = documentedRoute({
    ...SEARCH,
    operationId: 'searchInstant',
    summary: 'Best hits of each kind, for search as you type',
    querystring: InstantQuery,
    success: { 200: Envelope(InstantResult) },
    example: EXAMPLES.instant,
    faults: faultsOfTypes,
  })
  app.get<{ Querystring: InstantQuery }>(
    '/search/instant',
    instantRoute,
    async (request, reply) => {
      const { query } = request
      const kinds = typesOf(query.types)
      const sees = seesNsfw(request)
      const options = { kinds, seesNsfw: sees, limit: HITS_PER_KIND, perKind: true, counted: false }
      const { hits } = await searchEntries(searcher, textOf(query), options)
      const shown = await summarizeHits(db, hits, sees)
      const groups = kinds.flatMap((kind) => {
        const items = shown.filter((hit) => hit.kind === kind).slice(0, HITS_PER_KIND)
        return items.length > 0
          ? [`{"type":"${kind}","items":[${items.map(({ hit }) => hit).join(',')}]}`]
          : []
      })
      return sendUncached(request, reply, { nsfw: false, data: `{"groups":[${groups.join(',')}]}` })
    },
  )

  const suggestionsRoute = documentedRoute({
    ...SEARCH,
    operationId: 'searchSuggestions',
    summary: 'Suggest names to complete a query',
    querystring: SuggestionsQuery,
    success: { 200: Envelope(Suggestions) },
    example: EXAMPLES.suggestions,
    faults,
  })
  app.get<{ Querystring: SuggestionsQuery }>(
    '/search/suggestions',
    suggestionsRoute,
    async (request, reply) => {
      const sees = seesNsfw(request)
      const options = {
        kinds: SEARCH_TYPES,
        seesNsfw: sees,
        limit: MAX_SUGGESTIONS,
        counted: false,
      }
      const { hits } = await searchEntries(searcher, textOf(request.query), options)
      const shown = await summarizeHits(db, hits, sees)
      // as: built by the statement
      const titles = shown.map(({ hit }) => (JSON.parse(hit) as { title: string }).title)
      const items = [...new Set(titles)].map((keyword) => ({ keyword }))
      return sendUncached(request, reply, { nsfw: false, data: JSON.stringify({ items }) })
    },
  )
}

/** @throws {ApiError} `COMMON_VALIDATION_FAILED` if the query is blank */
function textOf({ q }: { q: string }): string {
  if (q.trim() === '') throw blankQuery()
  return q
}

/**
 * Returns the requested kinds in group order, or all if the request names none.
 *
 * @throws {ApiError} `COMMON_VALIDATION_FAILED` if all named kinds are unknown
 */
function typesOf(sent: string | string[] | undefined): readonly SearchType[] {
  const names = new Set(readMultiValue(sent))
  const requested = SEARCH_TYPES.filter((type) => names.has(type))
  if (requested.length === 0 && names.size > 0) throw notOneOf('types', SEARCH_TYPES)
  return requested.length > 0 ? requested : SEARCH_TYPES
}
