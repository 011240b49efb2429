import type { FastifyInstance } from 'fastify'
import { listNewestWorks } from '../browse/public-entries-queries.ts'
import { listSummaries } from '../browse/summary-queries.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { sendWorksFeed } from '../site/works-feed.ts'

const MAX_ENTRIES = 50

/** Serves `/feeds/new.atom`: the works most recently added to the catalog. */
export async function feedRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/feeds/new.atom', PAGE, async (request, reply) => {
    const newest = await listNewestWorks(db, MAX_ENTRIES)
    const summaries = await listSummaries(db, newest, false)
    return sendWorksFeed(request, reply, {
      title: request.page.messages.feedPage.title,
      path: '/feeds/new.atom',
      page: '/',
      works: newest.flatMap(({ kind, id, created_at: updated }) => {
        const work = summaries.find((entry) => entry.type === kind && entry.id === id)
        return work ? [{ work, updated }] : []
      }),
    })
  })
}
