import type { FastifyReply, FastifyRequest } from 'fastify'
import type { EntrySummary } from '../browse/summary.ts'
import { formatShortDate } from '../ui/format-time.ts'
import { atomFeed } from './atom-feed.ts'
import { entryPath } from './components/entry-path.ts'
import { shownDeveloper, shownTitles } from './components/titles.ts'
import { sendFeed } from './send-feed.ts'

/** Suffix of a page's path that leads to its feed. */
export const WORKS_FEED = '/works.xml'

type WorksFeed = {
  title: string
  path: string
  /** Path of the page with the same works. */
  page: string
  author?: string
  works: readonly { work: EntrySummary; updated: Date; note?: string }[]
  /** False if a user may unpublish the content at any moment. */
  isCacheable?: boolean
}

/** Sends works as a feed (RFC 4287). */
export function sendWorksFeed(
  request: FastifyRequest,
  reply: FastifyReply,
  { title, path, page, author, works, isCacheable = true }: WorksFeed,
): Promise<FastifyReply> {
  const { origin, language, messages, siteName } = request.page
  const text = atomFeed({
    id: origin + path,
    language,
    title: `${title} · ${siteName}`,
    self: origin + path,
    page: origin + page,
    author: { name: author ?? siteName },
    entries: works.map(({ work, updated, note }) => {
      const [main, other] = shownTitles(request.page, work)
      const url = origin + entryPath(work.type, work.id)
      const facts = [
        messages.kinds[work.type],
        other?.text,
        shownDeveloper(request.page, work),
        work.release_date && formatShortDate(language, work.release_date.slice(0, 10)),
      ].filter(Boolean)
      return {
        id: url,
        title: main.text,
        link: url,
        updated,
        category: work.type,
        summary: facts.join(' · '),
        ...(note && { content: note }),
      }
    }),
  })
  return sendFeed(request, reply, text, {
    headers: {
      'content-type': 'application/atom+xml; charset=utf-8',
      'cache-control': isCacheable ? 'private, max-age=600' : 'private, no-cache',
    },
    isCacheable,
  })
}
