import type { FastifyRequest } from 'fastify'
import { Type, type TObject } from 'typebox'
import { queryRows } from '../db/query.ts'
import { linkHeader, PageQuery, pageOf, offsetAndLimit, type Page } from '../http/wire/paging.ts'
import { Id, Ref, StringEnum } from '../http/wire/schemas.ts'
import type { CachedResponse, QueriedResponse } from './cached-response.ts'
import { entryIdOf, handleAsync, type CatalogApp } from './catalog-app.ts'
import { catalogOperation, okResponse, otherResponses } from './documentation.ts'
import { KINDS, type WorkKind } from './kinds.ts'
import { sendCached } from './send-cached.ts'
import type { WorkList } from './statements.ts'
import { maySee, requireVisible, seesNsfw } from './visibility.ts'

type List = {
  kind: WorkKind
  /** The last segment of its path, and in the name of its operation. */
  name: string
  summary: string
  /** What is in the list. */
  schema: TObject
  list: WorkList
  /** What it has in the bundled sample. */
  example: unknown
}

/** A list that belongs to a work: the whole, or a page of it. */
export function listRoute({ app, db, cache, baseUrl, documented }: CatalogApp, route: List) {
  const { kind, name, summary, list } = route
  const { path, tag, singular } = KINDS[kind]
  const filters = Object.keys(list.filters)
  const schema = catalogOperation({
    tag,
    operationId: `list${singular}${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    summary,
    documented,
    params: Type.Object({ id: Id }),
    querystring: queryOf(list),
    response: {
      200: okResponse(Type.Array(Ref(route.schema)), { summary, example: route.example, list: true }),
      ...otherResponses({ validated: true }),
    },
  })
  type Query = PageQuery & Record<string, string | undefined>
  app.get<{ Querystring: Query }>(
    `/${path}/:id/${name}`,
    { schema, config: { access: 'catalog' } },
    (request, reply) => {
      const { query } = request
      const id = entryIdOf(request)
      const page = pageOf(query)
      const { offset, limit } = offsetAndLimit(page)
      const chosen: unknown[] = filters.map((filter) => query[filter] ?? null)
      if (list.hidesNsfw) chosen.push(seesNsfw(request))
      // To a list without orders to choose from `sort` is a parameter it does not know.
      const sort = list.textBySort.has(query['sort'] ?? '') ? query['sort'] : ''
      const key = `${path}/${id}/${name}?${chosen.join('&')}&${sort}&${offset}&${limit ?? ''}`
      const send = (response: CachedResponse) =>
        sendCached(request, reply, response, page && linkOf(request, baseUrl, page, response))

      const cached = cache.get(key)
      if (cached && maySee(request, cached)) return send(cached)
      return handleAsync(reply, async () => {
        const response = await cache.load(key, async () => {
          const text = list.textBySort.get(sort ?? '') ?? list.text
          const [found] = await queryRows<QueriedResponse>(db, text, [id, offset, limit, ...chosen])
          return found
        })
        send(await requireVisible(response, request, db, kind, id))
      })
    },
  )
}

/** Its filters and orders, and the page. */
function queryOf({ filters, textBySort }: WorkList) {
  const choices = { ...filters, ...(textBySort.size > 0 && { sort: [...textBySort.keys()] }) }
  return Type.Object({
    ...Object.fromEntries(
      Object.entries(choices).map(([name, values]) => [name, Type.Optional(StringEnum(values))]),
    ),
    ...PageQuery.properties,
  })
}

function linkOf(request: FastifyRequest, baseUrl: string, page: Page, { total = 0 }: CachedResponse) {
  return linkHeader(new URL(baseUrl + request.url), page, total)
}
