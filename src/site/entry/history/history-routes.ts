import type { FastifyInstance } from 'fastify'
import { listSummaries } from '../../../browse/summary-queries.ts'
import { CatalogReader } from '../../../catalog/cache/catalog-reader.ts'
import { ENTRY_KINDS, KINDS } from '../../../catalog/kinds.ts'
import { findEntryHistory } from '../../../curation/edit/history-queries.ts'
import { notFound } from '../../../http/wire/errors/refusals.ts'
import { entryPath } from '../../components/entry-path.ts'
import { PAGE, type PageRouteOptions } from '../../options.ts'
import { sendCatalogPage } from '../../send-catalog-page.ts'
import { findEntryPage } from '../find-entry.ts'
import { entryHistoryView } from './history-view.ts'

/** Serves `/galgames/42/history` and the same page of every other kind: sources and changes of an entry. */
export async function historyRoutes(app: FastifyInstance, { db, reads, cache }: PageRouteOptions) {
  const catalog = new CatalogReader(reads, cache, app.pictureUrls)
  for (const kind of ENTRY_KINDS)
    app.get<{ Params: { id: string } }>(
      `/${KINDS[kind].path}/:id/history`,
      PAGE,
      async (request, reply) => {
        const options = { db: reads, catalog, kind, rest: '/history' }
        const found = await findEntryPage(request, reply, options)
        if (!found) return reply
        const { id, isBlurred } = found
        if (isBlurred) return reply.redirect(entryPath(kind, id))
        const [[entry], history] = await Promise.all([
          listSummaries(reads, [{ kind, id }], true),
          findEntryHistory(db, kind, id),
        ])
        if (!entry) throw notFound()
        return sendCatalogPage(request, reply, entryHistoryView(request.page, entry, history))
      },
    )
}
