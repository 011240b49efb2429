import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify'
import { Type, type TObject, type TSchema } from 'typebox'
import { queryRows } from '../db/query.ts'
import type { Database } from '../db/database.ts'
import { batchLoader } from '../kernel/batch-loader.ts'
import { callerOf } from '../http/admission/access.ts'
import { ENVELOPE_START } from '../http/wire/envelope.ts'
import { notFound } from '../http/wire/refusals.ts'
import { linkHeader, PageQuery, pageOf, offsetAndLimit, type Page } from '../http/wire/paging.ts'
import { Id, Ref } from '../http/wire/schemas.ts'
import { parseId } from '../http/wire/validation.ts'
import type { CachedResponse, ResponseCache, QueriedResponse } from './response-cache.ts'
import { okResponse, otherResponses } from './documentation.ts'
import { whyMissing, type EntryKind } from './merged.ts'
import { sendCached } from './send-cached.ts'

/** What every route of the catalog is made with. */
export type CatalogApp = {
  app: FastifyInstance
  db: Database
  answers: ResponseCache
  baseUrl: string
  /** The second family of paths is not told of in the OpenAPI document (decision 0002). */
  documented: boolean
}

type Of = {
  kind: EntryKind
  tag: string
  operationId: string
  url: string
  summary: string
  sql: string
  /** What `data` may be, from the real catalog. */
  example: unknown
}
type Detail = Of & { data: TObject }
type List = Of & {
  entry: TObject
  /** The one query parameter beside paging that a list may have. */
  filter?: { name: string; schema: TSchema }
  /** For a list whose filter is not the caller's to choose. */
  fixedFilter?: (seesNsfw: boolean) => string | null
}

/** An entry by its id. */
export function detailRoute({ app, db, answers, documented }: CatalogApp, detail: Detail) {
  const { kind, url, sql, data } = detail
  const schema = describe(detail, documented, { response: okResponse(Ref(data), detail) })
  const find = batchLoader(
    (ids: number[]) => queryRows<QueriedResponse & { id: number }>(db, sql, [ids]),
    (found) => found.id,
  )
  app.get(url, { schema, config: { access: 'catalog' } }, (request, reply) => {
    const id = idOf(request)
    const key = `${kind}/${id}`
    const kept = answers.get(key)
    if (kept && maySee(request, kept)) return sendCached(request, reply, kept)
    return handleAsync(reply, async () => {
      const answer = await answers.load(key, ENVELOPE_START, () => find(id))
      sendCached(request, reply, await assertVisible(answer, request, db, kind, id))
    })
  })
}

/** A list that belongs to a work: the whole, or a page of it. */
export function listRoute({ app, db, answers, baseUrl, documented }: CatalogApp, list: List) {
  const { kind, url, sql, entry, filter, fixedFilter } = list
  const schema = describe(list, documented, {
    response: okResponse(Type.Array(Ref(entry)), { ...list, list: true }),
    querystring: filter
      ? Type.Object({ [filter.name]: Type.Optional(filter.schema), ...PageQuery.properties })
      : PageQuery,
  })
  type Query = PageQuery & Record<string, string>
  app.get<{ Querystring: Query }>(url, { schema, config: { access: 'catalog' } }, (request, reply) => {
    const id = idOf(request)
    const page = pageOf(request.query)
    const { offset, limit } = offsetAndLimit(page)
    const chosen =
      (fixedFilter ? fixedFilter(seesNsfw(request)) : filter && request.query[filter.name]) ?? null
    const key = `${url.replace(':id', String(id))}?${chosen ?? ''}&${offset}&${limit ?? ''}`
    const send = (answer: CachedResponse) =>
      sendCached(request, reply, answer, page && linkOf(request, baseUrl, page, answer))

    const kept = answers.get(key)
    if (kept && maySee(request, kept)) return send(kept)
    return handleAsync(reply, async () => {
      const answer = await answers.load(key, ENVELOPE_START, () =>
        findOne(db, sql, [id, chosen, offset, limit]),
      )
      send(await assertVisible(answer, request, db, kind, id))
    })
  })
}

/** Does what has to wait for the database; what it throws goes to the error handler, as from any handler. */
async function handleAsync(reply: FastifyReply, work: () => Promise<void>) {
  await work()
  return reply
}

async function findOne(
  db: Database,
  sql: string,
  parameters: unknown[],
): Promise<QueriedResponse | undefined> {
  const [found] = await queryRows<QueriedResponse>(db, sql, parameters)
  return found
}

/** @throws {ApiError} when the answer is missing, or hidden from this caller */
async function assertVisible(
  answer: CachedResponse | undefined,
  request: FastifyRequest,
  db: Database,
  kind: EntryKind,
  id: number,
) {
  if (!answer) throw await whyMissing(db, kind, id, seesNsfw(request))
  if (!maySee(request, answer)) throw notFound()
  return answer
}

export const seesNsfw = (request: FastifyRequest) => callerOf(request).scopes.has('catalog:full')
export const maySee = (request: FastifyRequest, { nsfw }: CachedResponse) => !nsfw || seesNsfw(request)

function idOf({ params }: FastifyRequest) {
  // as: every path here has :id, and its text is read by parseId
  return parseId((params as { id: string }).id)
}

function linkOf(request: FastifyRequest, baseUrl: string, page: Page, { total = 0 }: CachedResponse) {
  return linkHeader(new URL(baseUrl + request.url), page, total)
}

function describe(
  { tag, operationId, summary }: Of,
  documented: boolean,
  { response, querystring }: { response: object; querystring?: TObject },
): FastifySchema {
  return {
    tags: [tag],
    ...(documented ? { operationId } : { hide: true }),
    summary,
    security: [{ application: ['catalog:read'] }, { user: ['catalog:read'] }],
    params: Type.Object({ id: Id }),
    ...(querystring && { querystring }),
    response: { 200: response, ...otherResponses({ validated: querystring !== undefined }) },
  }
}
