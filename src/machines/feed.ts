import type { FastifyInstance } from 'fastify'
import { listNewestWorks } from '../browse/public-entries-queries.ts'
import { listSummaries } from '../browse/summary-queries.ts'
import { atomFeed } from '../site/atom-feed.ts'
import { entryPath } from '../site/components/entry-path.ts'
import { shownDeveloper, shownTitles } from '../site/components/titles.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { sendFeed } from '../site/send-feed.ts'
import { formatShortDate } from '../ui/format-time.ts'

const MAX_ENTRIES = 50

/** Serves `/feeds/new.atom`: the works most recently added to the catalog (RFC 4287). */
export async function feedRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/feeds/new.atom', PAGE, async (request, reply) => {
    const { origin, language, messages, siteName } = request.page
    const newest = await listNewestWorks(db, MAX_ENTRIES)
    const summaries = await listSummaries(db, newest, false)
    const entries = newest.flatMap(({ kind, id, created_at: created }) => {
      const summary = summaries.find((entry) => entry.type === kind && entry.id === id)
      if (!summary) return []
      const [main, other] = shownTitles(request.page, summary)
      const url = origin + entryPath(kind, id)
      const facts = [
        messages.kinds[kind],
        other?.text,
        shownDeveloper(request.page, summary),
        summary.release_date && formatShortDate(language, summary.release_date.slice(0, 10)),
      ].filter(Boolean)
      return {
        id: url,
        title: main.text,
        link: url,
        published: created,
        updated: created,
        category: kind,
        summary: facts.join(' · '),
      }
    })
    const self = `${origin}/feeds/new.atom`
    const text = atomFeed({
      id: self,
      language,
      title: `${messages.feedPage.title} · ${siteName}`,
      self,
      page: `${origin}/`,
      author: { name: siteName },
      entries,
    })
    return sendFeed(request, reply, text, {
      headers: {
        'content-type': 'application/atom+xml; charset=utf-8',
        'cache-control': 'private, max-age=600',
      },
    })
  })
}
