import type { FastifyInstance } from 'fastify'
import { countAdultWorksOf, findWorksOf, LINKED_KINDS } from '../../../browse/back-links/queries.ts'
import { CatalogReader } from '../../../catalog/cache/catalog-reader.ts'
import { KINDS } from '../../../catalog/kinds.ts'
import { listsAdultWorks } from '../../adult-works/visibility.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { readPageNumber } from '../../read-page-number.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import type { SubjectData, WorkOf } from '../entry-data.ts'
import { findEntryPage } from '../find-entry.ts'
import { subjectView } from './subject-view.ts'

const WORKS_PER_PAGE = 200

/** Serves `/people/7`, `/producers/3` and `/characters/9`. */
export async function subjectPageRoutes(app: FastifyInstance, { reads, cache }: PageRouteOptions) {
  const catalog = new CatalogReader(reads, cache, app.pictureUrls)
  for (const kind of LINKED_KINDS)
    app.get<{ Params: { id: string } }>(
      `/${KINDS[kind].path}/:id`,
      PAGE,
      async (request, reply) => {
        const entry = await findEntryPage(request, reply, { db: reads, catalog, kind })
        if (!entry) return reply
        const { id, data } = entry
        const seesNsfw = listsAdultWorks(request.page)
        const page = readPageNumber(request)
        const filter = { types: undefined, roles: undefined, seesNsfw }
        const [found, hidden] = await Promise.all([
          findWorksOf(reads, kind, id, filter, { page, pageSize: WORKS_PER_PAGE }),
          seesNsfw ? 0 : countAdultWorksOf(reads, kind, id),
        ])
        // as: a page of this collection, as the statement selects it
        const { items, meta } = JSON.parse(
          found?.data ?? '{"items":[],"meta":{"total_items":0}}',
        ) as { items: WorkOf[]; meta: { total_items: number } }
        const total = meta.total_items
        const last = Math.ceil(total / WORKS_PER_PAGE)
        // as: the detail of an entry of this kind
        const view = subjectView(request.page, {
          kind,
          data: data as SubjectData,
          works: items,
          total,
          hidden,
          page,
          last,
        })
        return sendCatalogPage(request, reply, view)
      },
    )
}
