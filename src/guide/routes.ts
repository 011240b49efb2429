import type { FastifyInstance } from 'fastify'
import { notFound } from '../http/wire/errors/refusals.ts'
import { LISTED_PAGE, PAGE, type PageRouteOptions } from '../site/options.ts'
import { sendCatalogPage } from '../site/send-catalog-page.ts'
import { findGuidePage, guideTexts, type GuidePageName } from './guide-pages.ts'
import { guideContents, guideView, leadIn, snippetList } from './guide-view.ts'
import { errorTable } from './reference/views/errors-view.ts'
import { overviewRoute, sendPlainText } from './plain-routes.ts'
import { fillUrls, guideApps, guideMarkdown } from './plain-text.ts'
import { references } from './reference/references.ts'
import { referenceRoutes } from './reference/routes.ts'
import { guideSearch } from './search-guide.ts'
import { snippetsOf, type Flow } from './snippets.ts'

/** Registers the guide, whose examples are run by the tests. */
export async function guideRoutes(app: FastifyInstance, { urls, operations }: PageRouteOptions) {
  const texts = guideTexts()
  const referenceFor = references(app)
  await app.register(referenceRoutes, { urls, referenceFor, searchGuide: guideSearch(texts) })
  await app.register(overviewRoute, { urls, settings: operations.config })
  const fill = fillUrls(urls)
  const clients = guideApps(urls)
  const markdown: Partial<Record<GuidePageName, string>> = {}

  app.get('/guide', LISTED_PAGE, (request, reply) => {
    const leadOf = (page: GuidePageName) => leadIn(texts(page, request.page.language))
    return sendCatalogPage(request, reply, guideContents(request.page, leadOf))
  })

  app.get<{ Params: { name: string } }>('/guide/:name', PAGE, (request, reply) => {
    const context = request.page
    const { name } = request.params
    const isMarkdown = name.endsWith('.md')
    const page = findGuidePage(isMarkdown ? name.slice(0, -'.md'.length) : name)
    if (page === undefined) throw notFound()
    if (isMarkdown)
      return sendPlainText(
        request,
        reply,
        'text/markdown; charset=utf-8',
        (markdown[page] ??= guideMarkdown(page, urls, referenceFor('en'))),
      )
    const blocks = texts(page, context.language)
    const hasErrors = blocks.some((block) => block.kind === 'made' && block.name === 'errors')
    const errors = hasErrors && errorTable(context, referenceFor(context.language))
    const renderDirective = (directive: string, argument: string) => {
      if (directive === 'errors') return errors
      const client = clients[argument]
      // as: checked to be the name of a flow
      return client && directive === 'snippets' && snippetList(snippetsOf(client, argument as Flow))
    }
    return sendCatalogPage(
      request,
      reply,
      guideView(context, { page, blocks, fill, generate: renderDirective }),
    )
  })
}
