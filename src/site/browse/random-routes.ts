import type { FastifyInstance, FastifyReply } from 'fastify'
import { findRandomMatch } from '../../browse/lists/list-page.ts'
import { findFacetGroups } from '../../browse/lists/queries.ts'
import { listQueryParser } from '../../browse/lists/parse-list-query.ts'
import { findRandomEntry } from '../../browse/random-queries.ts'
import { withSynonyms } from '../../browse/tags/tag-concepts.ts'
import { KINDS, WORK_KINDS, type WorkKind } from '../../catalog/kinds.ts'
import { entryPath } from '../components/entry-path.ts'
import { pathWith } from '../components/path-with.ts'
import { PAGE, type PageRouteOptions } from '../options.ts'
import { listParameters, readListPageQuery } from './list-query.ts'

/** Parameters of a list that are not filters. */
const UNFILTERED = new Set(['page', 'sort', 'view'])

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
    for (const name of UNFILTERED) parameters.delete(name)
    if (parameters.size === 0) {
      const found = await findRandomEntry(reads, [kind], seesNsfw)
      return sendTo(reply, found ? entryPath(kind, found.id) : listPath)
    }
    const query = parser.parse(listParameters(listQuery), { seesNsfw })
    const groups = await findFacetGroups(reads, [kind], withSynonyms(query.filters))
    const found = await findRandomMatch(reads, { kinds: [kind], groups, query })
    return sendTo(reply, found ? entryPath(kind, found.id) : pathWith(listPath, parameters, {}))
  })
}

const sendTo = (reply: FastifyReply, path: string) =>
  reply.header('cache-control', 'no-store').redirect(path, 303)
