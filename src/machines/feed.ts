import type { FastifyInstance } from 'fastify'
import { listNewestWorks } from '../browse/public-entries-queries.ts'
import { listSummaries } from '../browse/summary-queries.ts'
import { etagOf, matchesEtag } from '../http/wire/etag.ts'
import { entryPath } from '../site/components/entry-path.ts'
import { shownTitles } from '../site/components/titles.ts'
import { PAGE, type PageRouteOptions } from '../site/options.ts'
import { escapeXml } from '../ui/xml.ts'

const MAX_ENTRIES = 50

/** Serves `/feeds/new.atom`: the works most recently added to the catalog (RFC 4287). */
export async function feedRoutes(app: FastifyInstance, { db }: PageRouteOptions) {
  app.get('/feeds/new.atom', PAGE, async (request, reply) => {
    const { origin, language, messages, siteName } = request.page
    const newest = await listNewestWorks(db, MAX_ENTRIES)
    const summaries = await listSummaries(db, newest, false)
    const entries = newest.flatMap(({ kind, id, created_at }) => {
      const summary = summaries.find((entry) => entry.type === kind && entry.id === id)
      if (!summary) return []
      const [main, other] = shownTitles(request.page, summary)
      const url = origin + entryPath(kind, id)
      const facts = [
        messages.kinds[kind],
        other?.text,
        summary.developer,
        summary.release_date?.slice(0, 10),
      ].filter(Boolean)
      return `<entry><id>${url}</id><title>${escapeXml(main.text)}</title><link href="${url}"/>
<published>${created_at.toISOString()}</published><updated>${created_at.toISOString()}</updated>
<category term="${kind}"/><summary>${escapeXml(facts.join(' · '))}</summary></entry>
`
    })
    const updated = newest[0]?.created_at ?? new Date(0)
    const text = `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>${origin}/feeds/new.atom</id><title>${escapeXml(`${messages.feedPage.title} · ${siteName}`)}</title>
<link rel="self" href="${origin}/feeds/new.atom"/><link href="${origin}/"/>
<author><name>${escapeXml(siteName)}</name></author><updated>${updated.toISOString()}</updated>
${entries.join('')}</feed>
`
    const etag = etagOf(text)
    void reply.headers({
      'content-type': 'application/atom+xml; charset=utf-8',
      'cache-control': 'private, max-age=600',
      vary: 'Accept-Language, Cookie',
      'x-content-type-options': 'nosniff',
      'x-request-id': request.id,
      etag,
    })
    const known = request.headers['if-none-match']
    return known !== undefined && matchesEtag(known, etag)
      ? reply.status(304).send()
      : reply.send(text)
  })
}
