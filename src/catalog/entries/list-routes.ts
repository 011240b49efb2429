import { Type, type TObject } from 'typebox'
import { queryRows } from '../../db/query.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { linkHeader, PageQuery, pageOf, offsetAndLimit } from '../../http/wire/requests/paging.ts'
import { notOneOf } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import type { CachedResponse } from '../cache/cached-response.ts'
import { entryIdOf, handleAsync, ENTRY_OPERATION, type CatalogApp } from '../catalog-app.ts'
import { KINDS, type WorkKind } from '../kinds.ts'
import { listCacheKey } from '../cache/response-cache.ts'
import { Enum } from '../schemas.ts'
import { sendCached } from '../cache/send-cached.ts'
import type { WorkList } from '../statements.ts'
import { maySee, requireVisible, seesNsfw } from '../visibility.ts'

/** A work's list. */
export type ListDefinition = {
  summary: string
  /** Schema of an item. */
  schema: TObject
  list: WorkList
  /** Items from the bundled sample. */
  example: unknown
}

/**
 * Registers the route of a list, which returns the whole list or one page.
 *
 * @param name last segment of the path, also used in the operation id
 */
export function listRoute(
  { app, reads, cache, baseUrl }: CatalogApp,
  kind: WorkKind,
  name: string,
  { summary, schema: item, list, example }: ListDefinition,
) {
  const { path, tag, singular } = KINDS[kind]
  const filters = Object.keys(list.filters)
  const route = documentedRoute({
    ...ENTRY_OPERATION,
    tag,
    operationId: `list${singular}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary,
    querystring: queryOf(list),
    isList: true,
    success: { 200: Envelope(Type.Array(Ref(item))) },
    example,
    faults: Object.fromEntries(
      Object.entries(choicesOf(list)).map(([choice, values]) => [
        `bad:${kind}:${name}:${choice}`,
        notOneOf(choice, values),
      ]),
    ),
  })
  type Query = PageQuery & Record<string, string | undefined>
  app.get<{ Querystring: Query }>(`/${path}/:id/${name}`, route, (request, reply) => {
    const { query } = request
    const id = entryIdOf(request)
    const page = pageOf(query)
    const { offset, limit } = offsetAndLimit(page)
    const chosen: unknown[] = filters.map((filter) => query[filter] ?? null)
    if (list.hidesNsfw) chosen.push(seesNsfw(request))
    // A list with a single order ignores `sort`, like any unknown parameter.
    const sort = list.statementBySort.has(query['sort'] ?? '') ? query['sort'] : ''
    const key = listCacheKey(kind, id, name, { chosen, sort: sort ?? '', offset, limit })
    const send = (response: CachedResponse) =>
      sendCached(
        request,
        reply,
        response,
        page && linkHeader(new URL(baseUrl + request.url), page, response.total ?? 0),
      )

    const cached = cache.get(key)
    if (cached && maySee(request, cached)) return send(cached)
    return handleAsync(reply, async () => {
      const response = await cache.load(key, async () => {
        const statement = list.statementBySort.get(sort ?? '') ?? list.statement
        const [found] = await queryRows(reads, statement, [id, offset, limit, ...chosen])
        return found
      })
      send(await requireVisible(response, request, reads, kind, id))
    })
  })
}

/** Query parameters for filters and order, with their allowed values. */
const choicesOf = ({ filters, statementBySort }: WorkList): Record<string, readonly string[]> => ({
  ...filters,
  ...(statementBySort.size > 0 && { sort: [...statementBySort.keys()] }),
})

function queryOf(list: WorkList) {
  return Type.Object({
    ...Object.fromEntries(
      Object.entries(choicesOf(list)).map(([name, values]) => [name, Type.Optional(Enum(values))]),
    ),
    ...PageQuery.properties,
  })
}
