import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { sendUncached } from '../../catalog/cache/send-cached.ts'
import { WORK_KINDS } from '../../catalog/kinds.ts'
import { seesNsfw } from '../../catalog/visibility.ts'
import type { Reads } from '../../db/replicas/reads.ts'
import { documentedRoute } from '../../http/document/operation.ts'
import { offsetAndLimit, paged, Paged, pageOfCollection } from '../../http/wire/requests/paging.ts'
import { notFound } from '../../http/wire/errors/refusals.ts'
import { Envelope, Ref } from '../../http/wire/schemas.ts'
import { invalidCursor } from '../lists/cursor.ts'
import { TAGGED_EXAMPLE } from '../lists/examples.ts'
import { findFacetGroups } from '../lists/queries.ts'
import { listQueryParser } from '../lists/parse-list-query.ts'
import { EntryPage } from '../summary.ts'
import { sendListPage } from '../lists/list-page.ts'
import { findUsedTags, listTags } from './queries.ts'
import { ListedTag, TagsQuery } from './schemas.ts'
import { startOf } from '../../kernel/printable.ts'

const TAGS = { access: 'catalog', tag: 'Tags', cacheable: true } as const
/** Maximum number of characters of a partial name; the rest is ignored. */
export const MAX_NAME_PART = 100

/** Registers the routes that list tags and the works of a tag (decision 0017). */
export function tagRoutes(app: FastifyInstance, db: Reads) {
  app.get<{ Querystring: TagsQuery }>(
    '/tags',
    documentedRoute({
      ...TAGS,
      operationId: 'listTags',
      summary: 'Tags, most used first',
      description:
        'With `q`, only tags whose names contain it, prefix matches first. `total_items` is exact up to 1,000.',
      querystring: TagsQuery,
      success: { 200: Envelope(Paged(Ref(ListedTag))) },
      example: paged([{ id: 14, name: 'fantasy', works: 13 }], { page: 1, pageSize: 1 }, 99),
    }),
    async (request, reply) => {
      const page = pageOfCollection(request.query)
      const { offset } = offsetAndLimit(page)
      const { tags, total } = await listTags(db, {
        q: startOf(request.query.q ?? '', MAX_NAME_PART),
        offset,
        limit: page.pageSize,
        seesNsfw: seesNsfw(request),
      })
      const data = JSON.stringify(paged(tags, page, total))
      return sendUncached(request, reply, { nsfw: false, data })
    },
  )

  const parser = listQueryParser(undefined)
  app.get<{ Params: { name: string } }>(
    '/tags/:name/works',
    {
      ...documentedRoute({
        ...TAGS,
        operationId: 'listTagWorks',
        summary: 'Works of all kinds with a tag',
        description: 'Returns 404 if no work visible to you has the tag.',
        params: Type.Object({ name: Type.String({ description: 'Exact name, percent-encoded' }) }),
        querystring: parser.schema,
        success: { 200: Envelope(Ref(EntryPage)) },
        example: TAGGED_EXAMPLE,
        missing: { notFound: notFound() },
        faults: { badCursor: invalidCursor() },
      }),
      // The list parser validates the query below.
      validatorCompiler: () => () => true,
    },
    async (request, reply) => {
      const { name } = request.params
      const query = parser.parse(request.query, { seesNsfw: seesNsfw(request), about: name })
      if (name.includes('\0') || (await findUsedTags(db, [name], seesNsfw(request))).size === 0)
        throw notFound()
      const groups = await findFacetGroups(db, WORK_KINDS, [{ name: 'tag', values: [name] }])
      return sendListPage(db, request, reply, { kinds: WORK_KINDS, groups, query })
    },
  )
}
