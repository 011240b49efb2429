import type { FastifyInstance, FastifyReply } from 'fastify'
import { findRandomMatch } from '../../browse/lists/list-page.ts'
import { listQueryParser } from '../../browse/lists/parse-list-query.ts'
import { findRandomEntry } from '../../browse/random-queries.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { entryPath } from '../components/entry-path.ts'
import { pathWith } from '../components/path-with.ts'
import { nameOrderOf } from '../components/titles.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { isFiltered, listParameters, readListPageQuery } from './list-query.ts'
import { findPageFilters } from './page-filters.ts'

/** Redirects `/random` and `/random/galgames` to a random work that the viewer may see. */
export async function randomRoutes(app: FastifyInstance, { reads }: PageRouteOptions) {
  app.get('/random', PAGE, async (request, reply) => {
    const found = await findRandomEntry(reads, WORK_KINDS, request.page.viewer?.nsfw ?? false)
    return sendTo(reply, found ? entryPath(found.kind, found.id) : '/')
  })

  for (const kind of WORK_KINDS) randomRouteOf(app, reads, kind)
}

function randomRouteOf(app: FastifyInstance, reads: PageRouteOptions['reads'], kind: WorkKind) {
  const parser = listQueryParser(kind)
  const listPath = `/${KINDS[kind].path}`
  app.get(`/random${listPath}`, PAGE, async (request, reply) => {
    const seesNsfw = request.page.viewer?.nsfw ?? false
    const listQuery = readListPageQuery(kind, request.query)
    const { parameters } = listQuery
    for (const name of ['page', 'view']) parameters.delete(name)
    if (!isFiltered(listQuery)) {
      const found = await findRandomEntry(reads, [kind], seesNsfw)
      return sendTo(reply, found ? entryPath(kind, found.id) : listPath)
    }
    const query = parser.parse(listParameters(listQuery), {
      seesNsfw,
      nameOrder: nameOrderOf(request.page),
    })
    const pageFilters = await findPageFilters(reads, kind, { query, listQuery })
    const found = await findRandomMatch(reads, { kinds: [kind], ...pageFilters, query })
    return sendTo(reply, found ? entryPath(kind, found.id) : pathWith(listPath, parameters, {}))
  })
}

const sendTo = (reply: FastifyReply, path: string) =>
  reply.header('cache-control', 'no-store').redirect(path, 303)
