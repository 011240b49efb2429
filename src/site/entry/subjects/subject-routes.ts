import type { FastifyInstance } from 'fastify'
import { findWorksOf, LINKED_KINDS, type LinkedKind } from '../../../browse/back-links/queries.ts'
import { CatalogReader } from '../../../catalog/cache/catalog-reader.ts'
import { KINDS } from '../../../catalog/kinds.ts'
import type { Reads } from '../../../db/replicas/reads.ts'
import { queryParameterOf } from '../../../ui/forms/form-field.ts'
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
        const requested = queryParameterOf(request, 'role')
        const role = requested === '' ? undefined : requested
        const read = (roles: string[] | undefined, pageNumber: number) =>
          findWorks(reads, { kind, id, roles, seesNsfw }, pageNumber)
        const found = await read(role === undefined ? undefined : [role], page)
        // The filter always lists the roles in the newest works, even while one is selected.
        const all = role === undefined && page === 1 ? found : await read(undefined, 1)
        const { items, meta } = found
        const total = meta.total_items
        const last = Math.ceil(total / WORKS_PER_PAGE)
        // as: the detail of an entry of this kind
        const view = subjectView(request.page, {
          kind,
          data: data as SubjectData,
          roles: rolesOf(all.items),
          role,
          works: items,
          total,
          hidesAdultWorks: !seesNsfw,
          page,
          last,
        })
        return sendCatalogPage(request, reply, view)
      },
    )
}

type WorksPage = { items: WorkOf[]; meta: { total_items: number } }

async function findWorks(
  reads: Reads,
  {
    kind,
    id,
    ...filter
  }: { kind: LinkedKind; id: number; roles: string[] | undefined; seesNsfw: boolean },
  page: number,
): Promise<WorksPage> {
  const found = await findWorksOf(
    reads,
    kind,
    id,
    { types: undefined, ...filter },
    { page, pageSize: WORKS_PER_PAGE },
  )
  // as: a page of this collection, as the statement selects it
  return JSON.parse(found?.data ?? '{"items":[],"meta":{"total_items":0}}') as WorksPage
}

/** Returns the roles in works, most frequent first. */
function rolesOf(works: WorkOf[]): (string | null)[] {
  const roles = works.flatMap((work) => [...new Set(work.roles.map(({ role }) => role))])
  return [...Map.groupBy(roles, (role) => role)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([role]) => role)
}
